"""A slow, plain judge of one square at a time, written straight from the rules, without SQL.

It knows nothing of tie groups, of views or of the project: it is what the views are tested against.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

DEFAULTS = {
    "metric": "euclidean",
    "foreign_pair_owns": True,
    "foreign_group_owns": True,
    "group_allies": "all_sides",
    "national_scope": "nation",
    "owner_allies_deploy": False,
}


@dataclass
class World:
    """A campaign as plain values."""

    nations: dict[str, str | None]  # nation: kind
    states: dict[str, str]  # state: nation
    squares: dict[tuple[int, int], str | None]  # place: nation
    cities: dict[str, tuple[int, int]]  # city: place
    control: list[tuple[int, str, str]] = field(default_factory=list)  # turn, city, state
    alliances: list[tuple[int, str, str, bool]] = field(default_factory=list)
    owners: dict[str, str] = field(default_factory=dict)  # nation: state named as its owner
    rulings: dict[str, object] = field(default_factory=dict)
    units: dict[str, tuple[str, tuple[int, int]]] = field(default_factory=dict)

    def sheets(self) -> dict[str, list[dict[str, object]]]:
        """The world as the sheets of a campaign."""
        return {
            "nations": [
                {"nation": n, "kind": k, "state": self.owners.get(n)}
                for n, k in self.nations.items()
            ],
            "states": [{"state": s, "nation": n} for s, n in self.states.items()],
            "squares": [
                {"x": x, "y": y, "nation": n, "terrain": (None, "hill", "wood")[(x - y) % 3]}
                for (x, y), n in self.squares.items()
            ],
            "cities": [{"city": c, "x": x, "y": y} for c, (x, y) in self.cities.items()],
            "control": [{"turn": t, "city": c, "state": s} for t, c, s in self.control],
            "alliances": [
                {"turn": t, "state_a": a, "state_b": b, "allied": allied}
                for t, a, b, allied in self.alliances
            ],
            "units": [
                {"unit": u, "state": s, "square": f"{x},{y}"}
                for u, (s, (x, y)) in self.units.items()
            ],
        }

    def turns(self) -> list[int]:
        return sorted({row[0] for row in [*self.control, *self.alliances]})


@dataclass(frozen=True)
class Verdict:
    status: str
    owner: str | None
    rule: str | None
    cities: tuple[str, ...] | None
    sides: tuple[str, ...] | None
    squared_distance: int | None
    deployment: frozenset[tuple[str, str]]  # state, basis


class Judge:
    def __init__(self, world: World) -> None:
        self.world = world
        self.rulings = {**DEFAULTS, **world.rulings}
        self._nearest: dict[tuple[int, int], tuple[int, tuple[str, ...]]] = {}

    def is_fragmented(self, nation: str) -> bool:
        kind = self.world.nations[nation]
        if kind is None:
            return sum(n == nation for n in self.world.states.values()) > 1
        return kind == "fragmented"

    def distance(self, a: tuple[int, int], b: tuple[int, int]) -> int:
        dx, dy = abs(a[0] - b[0]), abs(a[1] - b[1])
        return {
            "euclidean": dx * dx + dy * dy,
            "manhattan": (dx + dy) ** 2,
            "chebyshev": max(dx, dy) ** 2,
        }[str(self.rulings["metric"])]

    def nearest(self, place: tuple[int, int]) -> tuple[int, tuple[str, ...]]:
        """The shortest squared distance to a city of the place's nation, and the cities there."""
        if place not in self._nearest:
            nation = self.world.squares[place]
            distances = {
                city: self.distance(place, where)
                for city, where in self.world.cities.items()
                if self.world.squares[where] == nation
            }
            shortest = min(distances.values(), default=0)
            tied = sorted(city for city, d in distances.items() if d == shortest)
            self._nearest[place] = shortest, tuple(tied)
        return self._nearest[place]

    def holder(self, city: str, turn: int) -> str:
        entries = [(t, s) for t, c, s in self.world.control if c == city and t <= turn]
        return max(entries)[1]

    def allied(self, a: str, b: str, turn: int) -> bool:
        entries = [
            (t, allied)
            for t, first, second, allied in self.world.alliances
            if {first, second} == {a, b} and t <= turn
        ]
        return bool(entries) and max(entries)[1]

    def is_national(self, state: str, nation: str) -> bool:
        home = self.world.states[state]
        if self.rulings["national_scope"] == "fragmented" and self.is_fragmented(home):
            return True
        return home == nation

    def verdict(self, place: tuple[int, int], turn: int) -> Verdict:
        nation = self.world.squares[place]
        if nation is None:
            return Verdict("outside", None, None, None, None, None, frozenset())
        if not self.is_fragmented(nation):
            named = self.world.owners.get(nation)
            owner = named or next(s for s, n in self.world.states.items() if n == nation)
            rights = self.owner_rights(owner, turn)
            return Verdict("owned", owner, "0", None, None, None, rights)
        distance, cities = self.nearest(place)
        if not cities:
            return Verdict("unowned", None, "none", (), None, None, frozenset())
        sides = sorted({self.holder(city, turn) for city in cities})
        national = [side for side in sides if self.is_national(side, nation)]
        status, owner, rule = self.judge(len(cities), sides, national, turn)
        if status == "owned":
            assert owner is not None
            rights = self.owner_rights(owner, turn)
        elif status == "shared":
            allies = {
                (state, "ally")
                for state in self.world.states
                if state not in national and all(self.allied(state, n, turn) for n in national)
            }
            rights = frozenset({(side, "sharer") for side in national} | allies)
        else:
            rights = frozenset()
        return Verdict(status, owner, rule, cities, tuple(sides), distance, rights)

    def owner_rights(self, owner: str, turn: int) -> frozenset[tuple[str, str]]:
        rights = {(owner, "owner")}
        if self.rulings["owner_allies_deploy"]:
            rights |= {(s, "ally") for s in self.world.states if self.allied(s, owner, turn)}
        return frozenset(rights)

    def judge(
        self, tied: int, sides: list[str], national: list[str], turn: int
    ) -> tuple[str, str | None, str]:
        if tied == 1:
            if national:
                return "owned", national[0], "1a"
            return "neutral", None, "1b"
        if tied == 2:
            if len(sides) == 1:
                if national or self.rulings["foreign_pair_owns"]:
                    return "owned", sides[0], "2a"
                return "unowned", None, "2d"
            if len(national) == 1:
                return "owned", national[0], "2b"
            if len(national) == 2 and self.allied(*national, turn):
                return "shared", None, "2c"
            return "unowned", None, "2d"
        if len(sides) == 1 and (national or self.rulings["foreign_group_owns"]):
            return "owned", sides[0], "3a"
        rest = sides if self.rulings["group_allies"] == "all_sides" else national
        if national and all(
            self.allied(side, other, turn) for side in national for other in rest if other != side
        ):
            return "shared", None, "3b"
        return "unowned", None, "3c"

    def needed_alliances(self, place: tuple[int, int], turn: int) -> set[tuple[str, str]]:
        """The pairs of sides on whose alliance the verdict depends, each pair in order."""
        nation = self.world.squares[place]
        assert nation is not None
        _, cities = self.nearest(place)
        sides = sorted({self.holder(city, turn) for city in cities})
        pairs = set()
        for a, b in combinations(sides, 2):
            nationals = self.is_national(a, nation) + self.is_national(b, nation)
            if len(cities) == 2 or self.rulings["group_allies"] == "national_sides":
                needed = nationals == 2
            else:
                needed = nationals >= 1
            if needed:
                pairs.add((a, b))
        return pairs


def read_world(folder: Path, rulings: dict[str, object]) -> World:
    """Read one of the bundled campaigns' sheets, plainly."""

    def rows(name: str) -> list[dict[str, str]]:
        with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    names = {row["square"]: (int(row["x"]), int(row["y"])) for row in rows("squares")}
    return World(
        nations={row["nation"]: row["kind"] for row in rows("nations")},
        states={row["state"]: row["nation"] for row in rows("states")},
        squares={names[row["square"]]: row["nation"] or None for row in rows("squares")},
        cities={row["city"]: names[row["square"]] for row in rows("cities")},
        control=[(int(row["turn"]), row["city"], row["state"]) for row in rows("control")],
        alliances=[
            (int(row["turn"]), row["state_a"], row["state_b"], row["allied"] == "true")
            for row in rows("alliances")
        ],
        rulings=rulings,
        units={row["unit"]: (row["state"], names[row["square"]]) for row in rows("units")},
    )
