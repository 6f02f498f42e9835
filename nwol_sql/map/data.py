"""Reads what a map shows. Everything comes from the campaign's views; docs/map.md tells of each key.

Squares with the same nearest cities have the same verdict in every turn, so verdicts are kept for
each tie group (or nation that is judged as a whole), not for each square.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nwol_sql.colors import state_colors
from nwol_sql.errors import NO_TURNS, QueryError
from nwol_sql.reports import report

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from nwol_sql.campaign import Campaign

# The form of the data, to be raised when a key changes its meaning or goes.
FORMAT = 1

# What a browser's canvas and its reader's patience bear, in squares from edge to edge.
WIDEST, LARGEST = 16_000, 4_000_000

# JavaScript's numbers are exact up to here; larger ones are written as text.
EXACT = 2**53 - 1

FARTHEST = 2**62


@dataclass(frozen=True)
class Region:
    """A part of the map, from its first to its last column and row."""

    left: int = -FARTHEST
    right: int = FARTHEST
    top: int = -FARTHEST
    bottom: int = FARTHEST


class _Numbered:
    """Things that many rows share, each kept once and known by its place in the list."""

    def __init__(self, *things: Any) -> None:
        self.list: list[Any] = []
        self._places: dict[Hashable, int] = {}
        for thing in things:
            self.place(thing, thing)

    def place(self, key: Hashable, thing: Any) -> int:
        """Return the thing's place, putting it at the end if its key is new."""
        if key not in self._places:
            self._places[key] = len(self.list)
            self.list.append(thing)
        return self._places[key]

    def known(self, key: Hashable) -> int | None:
        """Return the place of the thing with this key, or None."""
        return self._places.get(key)


def read(
    campaign: Campaign,
    region: Region | None = None,
    title: str | None = None,
    is_explained: bool = True,
) -> dict[str, Any]:
    """Return all that a map shows, as plain values for JSON.

    Without `is_explained`, the cities that do not decide are left out: pictures do not show them, and on
    a large map they take longer to find than all the rest.

    Raises QueryError if there are no squares or turns, or if squares lie too far apart to be drawn.
    """
    bounds = region or Region()
    corners = [bounds.left, bounds.right, bounds.top, bounds.bottom]
    _refuse_too_large(campaign, corners)
    rows = report(campaign, "map/squares", "y, x", [*corners]).fetchall()
    nations = campaign.sql("select nation, name from nations order by nation").fetchall()
    cities = campaign.sql(
        """
        select cities.city, cities.square, x, y, nation, level
        from cities inner join squares on cities.square = squares.square
        order by cities.city
        """
    ).fetchall()
    nation_numbers = _Numbered(*(nation for nation, _ in nations))
    city_numbers = _Numbered(*(row[0] for row in cities))
    terrains, groups = _Numbered(), _Numbered()
    square_numbers: dict[str, int] = {}
    squares: dict[str, list[Any]] = {
        key: [] for key in ("square", "x", "y", "nation", "terrain", "group", "squared_distance")
    }
    columns = squares.values()
    tied = dict(campaign.sql("select tie_group, cities from tie_groups").fetchall())
    for number, (square, x, y, nation, terrain, tie_group, far) in enumerate(rows):
        square_numbers[square] = number
        group = None
        if nation is not None:
            group = groups.place(
                tie_group or (nation,), {"nation": nation, "cities": tied.get(tie_group, [])}
            )
        row = (
            square,
            x,
            y,
            nation_numbers.known(nation),
            None if terrain is None else terrains.place(terrain, terrain),
            group,
            _exact(far),
        )
        for column, value in zip(columns, row, strict=True):
            column.append(value)

    def others(view: str) -> dict[str, list[Any]]:
        """Return cities that do not decide, by square: those of a view."""
        found: dict[str, list[Any]] = {"square": [], "city": [], "squared_distance": []}
        if not is_explained:
            return found
        places = (
            (square_numbers.get(square), city_numbers.known(city), _exact(far))
            for square, city, far in campaign.sql(
                f"""
                select others.square, others.city, others.squared_distance
                from {view} as others inner join squares on others.square = squares.square
                inner join nation_owners on squares.nation = nation_owners.nation
                where is_fragmented and x between $1 and $2 and y between $3 and $4
                order by y, x, others.squared_distance, others.city
                """,
                corners,
            ).fetchall()
        )
        for place in places:
            number = place[0]
            # Where a nation has no city, no other nation's is worth a word.
            if number is not None and squares["squared_distance"][number] is not None:
                for column, value in zip(found.values(), place, strict=True):
                    column.append(value)
        return found

    verdicts = _Numbered()
    deployments, alliances = _Numbered(), _Numbered()
    turns: dict[int, dict[str, Any]] = {}
    # Nobody may deploy and no alliance is looked at, unless a row says so.
    deployments.place((), [])
    alliances.place((), [])
    for (turn,) in campaign.sql("select turn from turns order by turn").fetchall():
        turns[turn] = {
            "turn": turn,
            "verdicts": [None] * len(groups.list),
            "deployment": [0] * len(groups.list),
            "alliances": [0] * len(groups.list),
            "holders": [None] * len(cities),
            "since": [None] * len(cities),
            "changes": [],
        }
    if not turns:
        raise QueryError(f"{NO_TURNS} to draw")
    for turn, nation, tie_group, *verdict in _rows(campaign, "verdicts", "turn, nation, tie_group"):
        if (group := groups.known(tie_group or (nation,))) is not None:
            entry = dict(zip(("status", "owner", "rule"), verdict, strict=True))
            turns[turn]["verdicts"][group] = verdicts.place(tuple(verdict), entry)
    for (turn, group), entries in _gathered(
        ((turn, groups.known(tie_group or (nation,))), {"state": state, "basis": basis})
        for turn, nation, tie_group, state, basis in _rows(
            campaign, "deployment", "turn, basis <> 'owner', basis = 'ally', state"
        )
    ):
        turns[turn]["deployment"][group] = deployments.place(_frozen(entries), entries)
    for (turn, group), entries in _gathered(
        (
            (turn, groups.known(tie_group)),
            {"state_a": state_a, "state_b": state_b, "is_allied": is_allied},
        )
        for turn, tie_group, state_a, state_b, is_allied in _rows(
            campaign, "alliances", "turn, tie_group, state_a, state_b"
        )
    ):
        turns[turn]["alliances"][group] = alliances.place(_frozen(entries), entries)
    for turn, city, state, since in campaign.sql(
        "select turn, city, state, since from city_holders"
    ).fetchall():
        if (place := city_numbers.known(city)) is not None:
            turns[turn]["holders"][place] = state
            turns[turn]["since"][place] = since
    for turn, tie_group, causes in _rows(campaign, "causes", "turn, tie_group"):
        group = groups.known(tie_group)
        if group is not None:
            turns[turn]["changes"].append({"group": group, "causes": causes})
    national: dict[str, list[str]] = {}
    for nation, state in _rows(campaign, "national_states", "nation, state"):
        national.setdefault(nation, []).append(state)
    rulings = campaign.sql(
        "select ruling, value, ruleset_value, ruleset, title from rulings"
    ).fetchall()
    ruleset, game = rulings[0][3:]
    colors = state_colors(campaign)
    return {
        "format": FORMAT,
        "title": title or game,
        "ruleset": ruleset,
        "rulings": [
            dict(zip(("ruling", "value", "ruleset_value"), row, strict=False)) for row in rulings
        ],
        "rules": _objects(campaign, "select rule, status, summary from rules order by rule"),
        "nations": [
            {"nation": nation, "name": name, "national_states": national.get(nation, [])}
            for nation, name in nations
        ],
        "states": [
            {**state, "color": colors[state["state"]]}
            for state in _objects(campaign, "select state, name, nation from states order by state")
        ],
        "cities": [
            dict(zip(("city", "square", "x", "y", "nation", "level"), row, strict=True))
            for row in cities
        ],
        "terrains": terrains.list,
        "squares": squares,
        "runner_up_cities": others("runner_up_cities"),
        "uncounted_cities": others("uncounted_cities"),
        "groups": groups.list,
        "verdicts": verdicts.list,
        "deployments": deployments.list,
        "alliances": alliances.list,
        "turns": [*turns.values()],
    }


def axis_names(square: str) -> tuple[str, str]:
    """Return the names of a square's column and row: G7-V8 is in G7 and V8, 3,-1 in 3 and -1."""
    column, _, row = square.partition("," if "," in square else "-")
    return column, row


def _rows(campaign: Campaign, name: str, order: str) -> list[tuple[Any, ...]]:
    return report(campaign, f"map/{name}", order).fetchall()


def _objects(campaign: Campaign, query: str) -> list[dict[str, Any]]:
    relation = campaign.sql(query)
    return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]


def _gathered(
    pairs: Iterable[tuple[tuple[int, int | None], dict[str, Any]]],
) -> Iterable[tuple[tuple[int, int], list[dict[str, Any]]]]:
    """Return the entries of each turn and group as a list, leaving out groups that are not shown."""
    lists: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for (turn, group), entry in pairs:
        if group is not None:
            lists.setdefault((turn, group), []).append(entry)
    return lists.items()


def _frozen(entries: list[dict[str, Any]]) -> Hashable:
    return tuple(tuple(entry.values()) for entry in entries)


def _exact(number: int | None) -> int | str | None:
    return number if number is None or number <= EXACT else str(number)


def _refuse_too_large(campaign: Campaign, corners: list[int]) -> None:
    ((count, left, right, top, bottom),) = campaign.sql(
        "select count(*), min(x), max(x), min(y), max(y) from squares "
        "where x between $1 and $2 and y between $3 and $4",
        corners,
    ).fetchall()
    if not count:
        raise QueryError("the campaign has no squares, so there is nothing to draw")
    width, height = right - left + 1, bottom - top + 1
    if width > WIDEST or height > WIDEST or width * height > LARGEST:
        raise QueryError(
            f"the map is {width:,} squares wide and {height:,} high, and a page or picture holds "
            f"{LARGEST:,} at most and {WIDEST:,} in a row; choose a part of it with a region"
        )
