"""What the tests of other engines share: which views they compare, and the numbered cases in one map."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from tests.test_adjudication import CASES, world_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

    from nwol_sql import Campaign

# The contract's views, and those in between that are worth a look when one of them differs.
VIEWS = (
    "turns",
    "city_ranks",
    "runner_up_cities",
    "uncounted_cities",
    "nearest_cities",
    "square_tie_groups",
    "tie_groups",
    "tie_group_sides",
    "tie_group_alliances",
    "tie_group_verdicts",
    "ownership",
    "ownership_by_turn",
    "ownership_changes",
    "deployment",
    "deployment_by_turn",
    "unit_positions",
    "war_exposure",
    "holdings",
    "holdings_by_turn",
)

# Every pair of a square and a city: too many on a large map.
PAIRS = ("city_ranks", "runner_up_cities", "uncounted_cities")

TABLES = ("nations", "states", "squares", "cities", "control", "alliances", "units")


def difference(campaign: Campaign, name: str, other: str, con: duckdb.DuckDBPyConnection) -> str:
    """Return in words how another engine's rows, relation `other` of `con`, differ from a view's."""
    columns = ", ".join(campaign.sql(f"select * from {name} limit 0").columns)
    found = con.sql(f"select * from {other} limit 0").columns
    assert ", ".join(found) == columns, name
    counts = []
    for first, second in ((name, other), (other, name)):
        query = (
            f"select count(*) from (select {columns} from {first} "
            f"except all select {columns} from {second})"
        )
        counts.append(con.execute(query).fetchall()[0][0])
    return "" if counts == [0, 0] else f"{name}: {counts[0]} rows lack, {counts[1]} are too many"


def cases_together() -> Iterator[tuple[str, dict[str, Any], dict[str, Any], list[dict[str, Any]]]]:
    """Yield the numbered cases with the same ruleset and rulings as one campaign, side by side.

    Each time: the ruleset, the rulings, the sheets, and what is expected (turn, x, y, status, owner,
    rule, deploy) with the names that states have there.
    """

    def key(case: dict[str, Any]) -> tuple[str, list[tuple[str, object]]]:
        return case["ruleset"], sorted(case["rulings"].items())

    for _, group in groupby(sorted(CASES, key=key), key):
        cases = list(group)
        sheets: dict[str, list[dict[str, Any]]] = {}
        expected = []
        for number, case in enumerate(cases):
            # Twelve squares are enough for each, and seven fit beside each other.
            left, top = number % 7 * 12, number // 7 * 12
            mark = f"{number}:"
            world = world_of(case)
            for name, rows in world.sheets().items():
                for row in rows:
                    for column in ("nation", "state", "state_a", "state_b", "city"):
                        if row.get(column) is not None:
                            row[column] = mark + row[column]
                    if "x" in row:
                        row |= {"x": row["x"] + left, "y": row["y"] + top}
                sheets.setdefault(name, []).extend(rows)
            for entry in case["expect"]:
                expected.append(
                    {
                        "turn": world.turns()[-1] if case["turn"] is None else case["turn"],
                        "x": entry["x"] + left,
                        "y": entry["y"] + top,
                        "status": entry["status"],
                        "owner": entry["owner"] and mark + entry["owner"],
                        "rule": entry["rule"],
                        "deploy": [mark + state for state in entry["deploy"]],
                    }
                )
        del sheets["units"]
        yield cases[0]["ruleset"], cases[0]["rulings"], sheets, expected


def assert_expected(con: duckdb.DuckDBPyConnection, expected: list[dict[str, Any]]) -> None:
    """Look the cases' verdicts up in another engine's ownership_by_turn and deployment_by_turn."""
    turns = [
        turn for (turn,) in con.execute("select distinct turn from ownership_by_turn").fetchall()
    ]
    for entry in expected:
        turn = max(t for t in turns if t <= entry["turn"])
        rows = con.execute(
            "select square, status, owner, rule from ownership_by_turn "
            "where turn = $1 and x = $2 and y = $3",
            [turn, entry["x"], entry["y"]],
        ).fetchall()
        ((square, *verdict),) = rows
        assert verdict == [entry["status"], entry["owner"], entry["rule"]], entry
        deploy = con.execute(
            "select state from deployment_by_turn where turn = $1 and square = $2 order by state",
            [turn, square],
        ).fetchall()
        assert [state for (state,) in deploy] == sorted(entry["deploy"]), entry
