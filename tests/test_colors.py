"""Colours: neighbours apart for every reader, and text that can be read."""

from __future__ import annotations

import re
from itertools import combinations, islice
from typing import TYPE_CHECKING

import pytest

from nwol_sql.colors import APART, apart, choose_colors, contrast, ink, mixed, palette, state_colors
from nwol_sql.map.page import PARTS
from nwol_sql.reports import report

if TYPE_CHECKING:
    from nwol_sql import Campaign


def test_neighbours_differ_for_colour_blind_readers(bundled: tuple[str, Campaign]) -> None:
    _, campaign = bundled
    colors = state_colors(campaign)
    assert len(set(colors.values())) == len(colors)
    neighbours = report(campaign, "map/neighbours", "all").fetchall()
    assert len(neighbours) > 10
    for state, neighbour in neighbours:
        assert apart(colors[state], colors[neighbour]) >= APART, (state, neighbour)


def test_neighbours_are_all_that_meet_in_any_turn(bundled: tuple[str, Campaign]) -> None:
    _, campaign = bundled
    plain = campaign.sql(
        """
        select distinct least(a.owner, b.owner), greatest(a.owner, b.owner)
        from ownership_by_turn a join ownership_by_turn b
            on a.turn = b.turn and a.owner <> b.owner and (
                (b.x = a.x + 1 and b.y = a.y) or (b.x = a.x and b.y = a.y + 1)
            )
        """
    ).fetchall()
    assert set(report(campaign, "map/neighbours", "all").fetchall()) == set(plain)


def test_given_colors_stay(valley: Campaign) -> None:
    colors = state_colors(valley)
    assert (colors["A"], colors["B"], colors["W"]) == ("#336699", "#993333", "#339933")
    assert apart(colors["C"], colors["A"]) >= APART


def test_more_states_than_the_palette_has() -> None:
    states = [f"S{number}" for number in range(300)]
    colors = choose_colors(states, [*combinations(states[:20], 2)], {"S0": "#FFFFFF"})
    assert len(set(colors.values())) == 300
    assert min(apart(colors[a], colors[b]) for a, b in combinations(states[:20], 2)) > APART / 3
    assert len(set(islice(palette(), 12_000))) == 12_000


def test_colours_are_reckoned_rightly() -> None:
    # WCAG's own examples: black on white, and the greys that just pass AA.
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#767676", "#FFFFFF") == pytest.approx(4.54, abs=0.01)
    assert (ink("#FFEE00"), ink("#102040")) == ("#000000", "#FFFFFF")
    assert mixed("#000000", "#FFFFFF", 0.5) == "#808080"
    # Pure red and a green that deuteranopes take for it are closer than they look to others.
    assert apart("#C05000", "#808000") < apart("#C05000", "#0050C0")


def themes() -> dict[str, dict[str, str]]:
    style = (PARTS / "page.css").read_text("utf-8")
    blocks = re.findall(r"^:root[^{]*\{(.*?)\}", style, re.DOTALL | re.MULTILINE)
    light, dark = (dict(re.findall(r"--([\w-]+): (#\w+);", block)) for block in blocks)
    return {"light": light, "dark": {**light, **dark}}


@pytest.mark.parametrize("name", ["light", "dark"])
def test_text_keeps_contrast_aa(name: str) -> None:
    theme = themes()[name]
    grounds = {
        "ink": ["paper", "ground", "soft", "edge", "neutral"],
        "quiet": ["paper", "soft", "edge", "ground"],
        "gained": ["paper"],
        "lost": ["paper"],
        "on-accent": ["accent"],
        "paper": ["ink"],
    }
    for text, under in grounds.items():
        for ground in under:
            assert contrast(theme[text], theme[ground]) >= 4.5, (text, ground)
    # Marks and the edges of controls in focus: 3 to 1.
    for mark in ("accent", "tie", "changed", "quiet"):
        assert contrast(theme[mark], theme["paper"]) >= 3, mark
    # Names on the map stand on a halo.
    assert contrast(theme["ink"], theme["halo"]) >= 4.5


@pytest.mark.parametrize("name", ["light", "dark"])
def test_statuses_differ_from_each_other(name: str) -> None:
    theme = themes()[name]
    for one, other in combinations(["owned", "shared", "neutral", "unowned"], 2):
        assert apart(theme[one], theme[other]) > 0.05, (one, other)
