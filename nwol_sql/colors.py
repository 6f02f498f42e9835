"""Colours for maps: each state its own, and neighbours apart for colour-blind readers too."""

from __future__ import annotations

from functools import cache
from itertools import count
from math import cos, dist, pi, sin
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from nwol_sql.campaign import Campaign

# Hues in degrees, far apart in turn; and how light and how strong the colours of each round are.
HUES = (75, 245, 150, 25, 300, 110, 200, 340, 55, 270, 175, 320)
ROUNDS = ((0.83, 0.095), (0.72, 0.115), (0.90, 0.060), (0.63, 0.110), (0.77, 0.050), (0.56, 0.090))

# How far apart neighbours' colours are at least, in OKLab, as every reader sees them, where there are
# colours enough: about five times what two patches side by side must differ by to be told apart.
APART = 0.1

# How red, green and blue mix for readers without one kind of cone, in linear light (Machado,
# Oliveira and Fernandes 2009, severity 1).
BLINDNESS = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}

Triple = tuple[float, float, float]


def state_colors(campaign: Campaign) -> dict[str, str]:
    """Return each state's colour, #RRGGBB: states.color, or else one that no other state has.

    States that own squares side by side in any turn get colours that differ for colour-blind readers
    too, as far as the given colours allow.
    """
    from nwol_sql.reports import report

    rows = campaign.sql("select state, color from states order by state").fetchall()
    given = {state: color.upper() for state, color in rows if color}
    neighbours = report(campaign, "map/neighbours", "all").fetchall()
    return choose_colors([state for state, _ in rows], neighbours, given)


def choose_colors(
    states: Iterable[str], neighbours: Iterable[tuple[str, str]], given: Mapping[str, str]
) -> dict[str, str]:
    """Return a colour for each state: the given one, or else one that suits its neighbours.

    Greedy: the states with most neighbours choose first, each the first colour that is not taken and
    is far enough from its neighbours' (or else the farthest).
    """
    beside: dict[str, set[str]] = {state: set() for state in states}
    for state, neighbour in neighbours:
        beside[state].add(neighbour)
        beside[neighbour].add(state)
    colors = dict(given)
    taken = set(colors.values())
    pool = palette()
    waiting: list[str] = []
    for state in sorted((s for s in beside if s not in colors), key=lambda s: -len(beside[s])):
        while len(waiting) < len(HUES) * len(ROUNDS):
            color = next(pool)
            if color not in taken:
                waiting.append(color)
        around = [colors[other] for other in beside[state] if other in colors]

        def farness(color: str, around: list[str] = around) -> float:
            return min((apart(color, other) for other in around), default=APART)

        fitting = next((color for color in waiting if farness(color) >= APART), None)
        color = fitting or max(waiting, key=farness)
        waiting.remove(color)
        taken.add(color)
        colors[state] = color
    return {state: colors[state] for state in beside}


def palette() -> Iterator[str]:
    """Yield different colours without end, those that stay well apart first."""
    seen = set()
    for number in count():
        turn = number // len(HUES)
        lightness, chroma = ROUNDS[turn % len(ROUNDS)]
        # Every round turns the hues a little, and every pass over all rounds a little more.
        hue = HUES[number % len(HUES)] + 9 * turn + 3.7 * (turn // len(ROUNDS))
        color = _from_oklch(lightness, chroma, hue)
        if turn >= 400:  # some 10,000 colours on, small steps would repeat for ever
            color = f"#{(number * 7919) % 0x1000000:06X}"
        if color not in seen:
            seen.add(color)
            yield color


@cache
def apart(color: str, other: str) -> float:
    """Return how far apart two colours are in OKLab, for the reader who tells them apart worst."""
    return min(dist(one, two) for one, two in zip(_as_seen(color), _as_seen(other), strict=True))


def contrast(color: str, other: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21, as WCAG 2 reckons it."""
    lighter, darker = sorted((_luminance(color), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def ink(color: str) -> str:
    """Return black or white, whichever reads better on a colour."""
    return max("#000000", "#FFFFFF", key=lambda ink: contrast(color, ink))


def mixed(color: str, other: str, share: float) -> str:
    """Return a colour mixed with a share (0 to 1) of another."""
    pairs = zip(_channels(color), _channels(other), strict=True)
    return _hex(tuple(one + (two - one) * share for one, two in pairs))


def _channels(color: str) -> tuple[float, ...]:
    return tuple(int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))


def _hex(channels: Iterable[float]) -> str:
    return "#" + "".join(f"{round(255 * min(max(value, 0), 1)):02X}" for value in channels)


def _linear(color: str) -> tuple[float, ...]:
    return tuple(
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in _channels(color)
    )


def _luminance(color: str) -> float:
    red, green, blue = _linear(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@cache
def _as_seen(color: str) -> list[Triple]:
    """Return a colour in OKLab as readers see it, colour-blind in one way or another or not."""
    light = _linear(color)
    mixes = [
        [min(max(sum(a * b for a, b in zip(row, light, strict=True)), 0), 1) for row in rows]
        for rows in BLINDNESS.values()
    ]
    return [_oklab(*seen) for seen in (light, *mixes)]


def _oklab(red: float, green: float, blue: float) -> Triple:
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    medium = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def _from_oklch(lightness: float, chroma: float, hue: float) -> str:
    a, b = chroma * cos(hue * pi / 180), chroma * sin(hue * pi / 180)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    return _hex(
        12.92 * value if value <= 0.0031308 else 1.055 * max(value, 0) ** (1 / 2.4) - 0.055
        for value in linear
    )
