"""Draws one turn of a campaign as SVG, and turns that into PNG.

A campaign's texts enter the drawing's template escaped; all numbers in it were reckoned here.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from nwol_sql.colors import mixed
from nwol_sql.errors import FileError, QueryError
from nwol_sql.map.data import axis_names
from nwol_sql.map.shapes import (
    Box,
    Boxes,
    Place,
    areas,
    edges,
    shortened,
    territories,
    text_width,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nwol_sql.map import Layer

HERE = Path(__file__).parent

# Room around the map, in pixels: for the heading and the names of rows and columns.
LEFT, TOP, RIGHT, BOTTOM = 34, 76, 16, 16
NARROWEST, WIDEST, LARGEST = 440, 32_000, 300_000_000
LEGEND = {"width": 232, "height": 21, "gap": 24}

LETTERS = {"shared": "s", "neutral": "n", "unowned": "u", "owner": "o", "sharer": "s", "ally": "a"}
KINDS = {"shared": "bands", "neutral": "lines", "unowned": "cross"}
BASES = {
    "owner": ("as owner", None),
    "sharer": ("as sharer", "lines"),
    "ally": ("as ally of the sharers or the owner", "dots"),
}

WATER = re.compile("water|sea|ocean|lake|river", re.IGNORECASE)
# How much darker terrain makes the ground: the first that fits its name.
RELIEF = (
    ("high mountain|alpine", 0.17),
    ("mountain", 0.12),
    ("hill", 0.06),
    ("forest|wood|jungle", 0.08),
    ("swamp|marsh|bog", 0.05),
    ("desert", 0.03),
)

# What XML cannot hold, even escaped.
UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


@cache
def theme() -> dict[str, str]:
    """Return the page's colours in its light theme, which pictures share."""
    style = (HERE / "page" / "page.css").read_text("utf-8")
    light = style[: style.index("}")]
    return dict(re.findall(r"--([\w-]+): (#\w+);", light))


def drawing(data: dict[str, Any], turn: int, layer: Layer, scale: float) -> str:
    """Return the drawing of a turn and layer as SVG, its squares so many pixels across.

    Raises QueryError if it would be too large.
    """
    return _Drawing(data, turn, layer, scale).svg()


def to_png(svg: str) -> bytes:
    """Return a drawing as a picture. Raises FileError if the library for it is missing."""
    try:
        import resvg_py
    except ImportError as error:
        raise FileError(
            "to write pictures, install resvg-py: pip install 'nwol-sql[map]'"
        ) from error
    try:
        import fontpkg

        fonts = [str(fontpkg.path("Noto Sans"))]
    except ImportError:
        fonts = []  # the system's own, if it has any
    return bytes(
        resvg_py.svg_to_bytes(svg_string=svg, font_files=fonts, sans_serif_family="Noto Sans")
    )


class _Drawing:
    def __init__(self, data: dict[str, Any], turn: int, layer: Layer, scale: float) -> None:
        self.data, self.layer, self.scale = data, layer, scale
        self.turns = {entry["turn"]: entry for entry in data["turns"]}
        self.turn = self.turns[turn]
        before = [entry["turn"] for entry in data["turns"] if entry["turn"] < turn]
        self.before = self.turns[
            layer.since if layer.since is not None else max(before, default=turn)
        ]
        self.theme = theme()
        self.colors = {state["state"]: state["color"] for state in data["states"]}
        squares = data["squares"]
        self.left, self.top = min(squares["x"]), min(squares["y"])
        self.columns = max(squares["x"]) - self.left + 1
        self.rows = max(squares["y"]) - self.top + 1
        self.places: list[Place] = [
            (x - self.left, y - self.top) for x, y in zip(squares["x"], squares["y"], strict=True)
        ]
        self.groups: dict[Place, int | None] = dict(zip(self.places, squares["group"], strict=True))
        self.patterns: dict[tuple[str, tuple[str, ...]], str] = {}
        self.width = round(max(LEFT + self.columns * scale + RIGHT, NARROWEST))
        self.height = round(TOP + self.rows * scale + BOTTOM)
        if max(self.width, self.height) > WIDEST or self.width * self.height > LARGEST:
            raise QueryError(
                f"the picture would be {self.width:,} pixels wide and {self.height:,} high; choose a "
                "smaller scale, or a part of the map with a region"
            )

    def svg(self) -> str:
        looks = [self._look(group) for group in range(len(self.data["groups"]))]
        of_place = {
            place: self._outside(number) if group is None else looks[group]
            for number, (place, group) in enumerate(self.groups.items())
        }
        paths = areas({place: look["fill"] for place, look in of_place.items()})
        nations = dict(zip(self.places, self.data["squares"]["nation"], strict=True))
        legend, height = self._legend()
        names = Boxes()
        cities = self._cities(names)
        owners = self._territory_names(of_place, names)
        environment = Environment(
            loader=FileSystemLoader(HERE),
            autoescape=True,
            undefined=StrictUndefined,
            finalize=_finalized,
        )
        return (
            environment.get_template("picture.svg").render(
                width=self.width,
                height=height,
                left=LEFT,
                top=TOP,
                scale=self.scale,
                theme=self.theme,
                heading=self.data["title"],
                subtitle=self._subtitle(),
                description=self._description(),
                columns=self._edge_names(0, 26),
                rows=self._edge_names(1, 14),
                areas=[{"d": path, "fill": fill} for fill, path in paths.items()],
                relief=self._relief(),
                borders=edges(
                    self.places,
                    lambda place: of_place[place]["name"] if place in of_place else None,
                ),
                nation_borders=edges(self.places, lambda place: nations.get(place)),
                changed=self._changed(),
                letters=self._letters(of_place),
                territories=owners,
                cities=cities,
                legend=legend,
                patterns=[
                    _pattern(name, kind, colors) for (kind, colors), name in self.patterns.items()
                ],
            )
            + "\n"
        )

    # How the ground looks, as the page has it.

    def _look(self, group: int) -> dict[str, Any]:
        """Return a group's look: its fill, its letter, and a name that tells it from others."""
        data, kind = self.data, self.layer.kind
        verdict = data["verdicts"][self.turn["verdicts"][group]]
        rights = data["deployments"][self.turn["deployment"][group]]
        is_changed = self._is_changed(group)
        if kind == "deploy":
            basis = next((r["basis"] for r in rights if r["state"] == self.layer.state), None)
            return self._basis_look(basis)
        look = self._verdict_look(verdict, rights)
        if kind == "changes" and not is_changed:
            ground = self.colors.get(verdict["owner"]) or self.theme.get(verdict["status"])
            faded = mixed(ground or self.theme["abroad"], self.theme["faded"], 0.86)
            look |= {"fill": faded, "letter": ""}
        if kind == "changes":
            look["name"] = (is_changed, look["name"])
        return look

    def _is_changed(self, group: int) -> bool:
        return bool(self.turn["verdicts"][group] != self.before["verdicts"][group])

    def _basis_look(self, basis: str | None) -> dict[str, Any]:
        if basis is None:
            return {"name": None, "fill": self.theme["faded"], "letter": "", "owner": None}
        ground, pattern = self.theme[f"deploy-{basis}"], BASES[basis][1]
        fill = self._filled(pattern, ground, self.theme["pattern"]) if pattern else ground
        return {"name": basis, "fill": fill, "letter": LETTERS[basis], "owner": None}

    def _verdict_look(
        self, verdict: dict[str, Any], rights: Iterable[dict[str, Any]]
    ) -> dict[str, Any]:
        status, owner = verdict["status"], verdict["owner"]
        is_by_owner = self.layer.kind != "status"
        if owner is not None:
            fill = self.colors[owner] if is_by_owner else self.theme["owned"]
            name = owner if is_by_owner else (status,)
            return {
                "name": name,
                "fill": fill,
                "letter": "",
                "owner": owner if is_by_owner else None,
            }
        hosts = tuple(right["state"] for right in rights if right["basis"] == "sharer")
        ground = self.theme.get(status, self.theme["abroad"])
        fill = ground
        if KINDS.get(status) == "bands":
            bands = [self.colors[host] for host in hosts] if is_by_owner and len(hosts) > 1 else []
            fill = self._filled("bands", ground, *(bands or [ground, self.theme["neutral"]]))
        elif status in KINDS:
            fill = self._filled(KINDS[status], ground, self.theme["pattern"])
        name = (status, hosts if is_by_owner else ())
        return {"name": name, "fill": fill, "letter": LETTERS.get(status, ""), "owner": None}

    def _outside(self, number: int) -> dict[str, Any]:
        terrain = self.data["squares"]["terrain"][number]
        is_sea = terrain is None or WATER.search(self.data["terrains"][terrain])
        return {
            "name": ("outside",),
            "fill": self.theme["sea" if is_sea else "abroad"],
            "letter": "",
            "owner": None,
        }

    def _filled(self, kind: str, ground: str, *colors: str) -> str:
        name = self.patterns.setdefault((kind, (ground, *colors)), f"p{len(self.patterns)}")
        return f"url(#{name})"

    def _relief(self) -> list[dict[str, Any]]:
        darkness = [
            next((dark for name, dark in RELIEF if re.search(name, terrain, re.IGNORECASE)), 0)
            for terrain in self.data["terrains"]
        ]
        terrains = zip(self.places, self.data["squares"]["terrain"], strict=True)
        dark = {
            place: darkness[terrain]
            for place, terrain in terrains
            if terrain is not None and darkness[terrain]
        }
        return [{"d": path, "opacity": opacity} for opacity, path in areas(dark).items()]

    def _changed(self) -> str:
        if self.layer.kind != "changes":
            return ""
        changed = {
            place
            for place, group in self.groups.items()
            if group is not None and self._is_changed(group)
        }
        return edges(changed, lambda place: place in changed)

    # What is written on the map.

    def _letters(self, looks: dict[Place, dict[str, Any]]) -> list[dict[str, Any]]:
        if self.scale < 8:
            return []
        cities = {(city["x"] - self.left, city["y"] - self.top) for city in self.data["cities"]}
        found: dict[str, list[Place]] = {}
        for place, look in looks.items():
            if look["letter"] and place not in cities:
                found.setdefault(look["letter"], []).append(place)
        size = min(self.scale * 0.66, 15)
        return [
            {
                "text": letter * len(places),
                "size": size,
                "x": " ".join(_number((x + 0.5) * self.scale) for x, _ in places),
                "y": " ".join(_number((y + 0.5) * self.scale + size * 0.35) for _, y in places),
            }
            for letter, places in sorted(found.items())
        ]

    def _cities(self, taken: Boxes) -> list[dict[str, Any]]:
        """Return the cities with their names where there is room, the great ones first."""
        here = [
            (city, (city["x"] - self.left, city["y"] - self.top))
            for city in self.data["cities"]
            if (city["x"] - self.left, city["y"] - self.top) in self.groups
        ]
        highest = max([1, *(city["level"] or 0 for city, _ in here)])
        here.sort(key=lambda entry: (-(entry[0]["level"] or 0), entry[1][1], entry[1][0]))
        found = []
        for city, (column, row) in here:
            share = (city["level"] or 0) / highest
            x, y = (column + 0.5) * self.scale, (row + 0.5) * self.scale
            radius = min(1.8 + 1.8 * share, max(1.2, self.scale * 0.28))
            size = round(9.5 + 2.5 * share, 1)
            name = shortened(city["city"])
            width = text_width(name, size) * (1.06 if share > 0.6 else 1)
            gap, half = radius + 2.5, size * 0.6
            entry = {
                "x": x,
                "y": y,
                "radius": radius,
                "size": size,
                "name": "",
                "is_great": share > 0.6,
            }
            spots = [
                (x + gap, y),
                (x - gap - width, y),
                (x - width / 2, y - gap - half),
                (x - width / 2, y + gap + half),
                (x + gap, y - half),
                (x + gap, y + half),
                (x - gap - width, y - half),
                (x - gap - width, y + half),
            ]
            for left, middle in spots:
                box = (left - 2, middle - half, left + width + 2, middle + half)
                if taken.is_free(box) and self._is_on_paper(box):
                    taken.take(box)
                    taken.take((x - radius - 1, y - radius - 1, x + radius + 1, y + radius + 1))
                    entry |= {"name": name, "left": left, "base": middle + size * 0.35}
                    break
            if entry["name"] or self.scale >= 7:
                found.append(entry)
        return found

    def _is_on_paper(self, box: Box) -> bool:
        left, top, right, bottom = box
        return (
            left >= 0
            and top >= 0
            and right <= self.width - LEFT
            and bottom <= self.rows * self.scale
        )

    def _territory_names(
        self, looks: dict[Place, dict[str, Any]], taken: Boxes
    ) -> list[dict[str, Any]]:
        """Return the owners' names on their land, where no city's name stands."""
        if self.scale >= 30:
            return []
        owners = {place: look["owner"] for place, look in looks.items() if look["owner"]}
        called = {state["state"]: state["name"] or state["state"] for state in self.data["states"]}
        named: set[str] = set()
        found = []
        for part in territories(owners):
            room = part.side * self.scale
            if room < (60 if part.owner in named else 28):
                continue
            largest = min(max(room * 0.2, 9), 28)
            sizes = [round(max(largest * share, 9), 1) for share in (1, 0.8, 0.64)]
            tries = [*((called[part.owner], size) for size in sizes), (part.owner, sizes[0])]
            spot = self._spot(
                part.owner, part.x * self.scale, part.y * self.scale, room, tries, owners, taken
            )
            if spot:
                named.add(part.owner)
                found.append(spot)
        return found

    def _spot(
        self,
        owner: str,
        x: float,
        y: float,
        room: float,
        tries: list[tuple[str, float]],
        owners: dict[Place, str],
        taken: Boxes,
    ) -> dict[str, Any] | None:
        for name, size in tries:
            text = shortened(name).upper()
            half = text_width(text, size) * 1.18 / 2
            if half > room * 0.85:
                continue
            for down in (0, -1, 1, -2, 2, -3, 3):
                middle = y + down * size
                box = (x - half, middle - size * 0.6, x + half, middle + size * 0.6)
                row = int(middle // self.scale)
                columns = range(int((x - half) // self.scale), int((x + half) // self.scale) + 1)
                is_own = all(
                    owners.get((column, row)) == owner or self.groups.get((column, row)) is None
                    for column in columns
                )
                if (
                    abs(down * size) <= max(room / 2, size)
                    and is_own
                    and taken.is_free(box)
                    and self._is_on_paper(box)
                ):
                    taken.take(box)
                    return {"text": text, "size": size, "x": x, "y": middle + size * 0.35}
        return None

    # What is written around it.

    def _edge_names(self, axis: int, room: float) -> list[tuple[str, float]]:
        """Return the names of columns (axis 0) or rows (1), as many as there is room for, and where."""
        names: dict[int, str] = {}
        for place, square in zip(self.places, self.data["squares"]["square"], strict=True):
            names.setdefault(place[axis], axis_names(square)[axis])
        longest = max(map(len, names.values()))
        room = max(room, longest * 7 + 8) if axis == 0 else room
        steps = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
        step = next((step for step in steps if step * self.scale >= room), 10_000)
        origin, start = ((self.left, LEFT), (self.top, TOP))[axis]
        return [
            (name, start + (place + 0.5) * self.scale)
            for place, name in sorted(names.items())
            if (place + origin) % step == 0
        ]

    def _subtitle(self) -> str:
        turn = f"Turn {self.turn['turn']}"
        return {
            "owner": turn,
            "status": f"{turn}: status",
            "deploy": f"{turn}: where {self.layer.state} may deploy in peacetime",
            "changes": f"Changes from turn {self.before['turn']} to turn {self.turn['turn']}",
        }[self.layer.kind]

    def _description(self) -> str:
        entries = [f"{entry['name']}: {entry['squares']} squares" for entry in self._legend()[0]]
        return f"{self._subtitle()}. {'; '.join(entries)}."

    def _legend(self) -> tuple[list[dict[str, Any]], float]:
        """Return the legend's entries in columns under the map, and where the drawing ends."""
        sizes: dict[int | None, int] = {}
        for group in self.groups.values():
            sizes[group] = sizes.get(group, 0) + 1
        counts: dict[Any, int] = {}
        looks: dict[Any, dict[str, Any]] = {}
        called = {state["state"]: state["name"] for state in self.data["states"]}
        for group, size in sizes.items():
            name: str | None = "outside all nations"
            look: dict[str, Any] = {"fill": self.theme["sea"], "letter": ""}
            if group is not None:
                name, look = self._legend_entry(group, called)
            if name:
                counts[name] = counts.get(name, 0) + size
                looks.setdefault(name, look)
        last = ["shared", "neutral", "unowned", "outside all nations"]
        order = sorted(
            counts,
            key=lambda name: (last.index(name) + 1 if name in last else 0, -counts[name], name),
        )
        columns = max(int((self.width - LEFT) // LEGEND["width"]), 1)
        rows = -(-len(order) // columns)
        top = TOP + self.rows * self.scale + LEGEND["gap"]
        entries = [
            {
                "x": LEFT + number // rows * LEGEND["width"],
                "y": top + number % rows * LEGEND["height"],
                "width": LEGEND["width"] - 24,
                "name": _fitted(name, LEGEND["width"] - 24 - 30 - 40),
                "squares": f"{counts[name]:,}",
                "fill": looks[name]["fill"],
                "letter": looks[name]["letter"],
            }
            for number, name in enumerate(order)
        ]
        return entries, round(top + rows * LEGEND["height"] + BOTTOM)

    def _legend_entry(
        self, group: int, called: dict[str, str | None]
    ) -> tuple[str | None, dict[str, Any]]:
        if self.layer.kind == "deploy":
            look = self._look(group)
            return (BASES[look["name"]][0] if look["name"] else None), look
        verdict = self.data["verdicts"][self.turn["verdicts"][group]]
        owner = verdict["owner"]
        look = self._verdict_look(verdict, [])
        if self.layer.kind == "changes" and not self._is_changed(group):
            return None, look
        if owner is None or self.layer.kind == "status":
            return verdict["status"], look
        return f"{called[owner]} {owner}" if called[owner] else owner, look


def _pattern(name: str, kind: str, colors: tuple[str, ...]) -> dict[str, Any]:
    """Return a pattern's tile, in pixels: see PATTERNS in the page's 3-looks.js."""
    size = 8
    ground, *inks = colors
    fills, lines = [], []
    if kind == "bands":
        band = size / len(inks)
        for number, ink in enumerate(inks):
            for offset in (-size, 0, size):
                first = _number(offset + number * band)
                width = _number(band)
                fills.append({"d": f"M{first} 0h{width}l{size} {size}h-{width}z", "color": ink})
    elif kind == "dots":
        for at in (2, 6):
            fills.append({"d": f"M{at - 1} {at}a1 1 0 1 0 2 0a1 1 0 1 0 -2 0z", "color": inks[0]})
    else:
        falling = f"M0 {size}l{size} -{size}M-1 1l2 -2M{size - 1} {size + 1}l2 -2"
        rising = f"M0 0l{size} {size}M-1 {size - 1}l2 2M{size - 1} -1l2 2"
        lines.append({"d": falling + (rising if kind == "cross" else ""), "color": inks[0]})
    return {"id": name, "size": size, "ground": ground, "fills": fills, "lines": lines}


def _fitted(text: str, width: float) -> str:
    """Return a text, cut short where it is wider than so many pixels."""
    if text_width(text, 12) <= width:
        return text
    while text and text_width(text + "…", 12) > width:
        text = text[:-1]
    return text + "…"


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _finalized(value: object) -> object:
    """Write numbers short, and leave out of texts what XML cannot hold."""
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return UNWRITABLE.sub("\ufffd", value) if isinstance(value, str) else value
