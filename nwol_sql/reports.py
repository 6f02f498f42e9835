"""Compares two states of a campaign: two turns, two files, or what is and what is supposed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from nwol_sql.errors import NO_TURNS, QueryError, unknown
from nwol_sql.tables import Format, formatted, json_rows

if TYPE_CHECKING:
    import duckdb

    from nwol_sql.campaign import Campaign


class Comparison:
    """What differs between an old and a new state of a campaign; both must share a connection."""

    def __init__(self, old: Campaign, new: Campaign) -> None:
        self._old = old
        self._new = new

    def squares(self) -> duckdb.DuckDBPyRelation:
        """The squares whose verdict differs, with the cause.

        Columns: square, nation, old_status, status, old_owner, owner, old_rule, rule, cause.
        """
        return self._report("changed_squares", "square")

    def by_state(self) -> duckdb.DuckDBPyRelation:
        """What each state gained and lost.

        Columns: state, gained, lost, net, sharing_gained, sharing_lost (in squares).
        """
        return self._report("changes_by_state", "net desc, gained desc, state")

    def ended_rights(self) -> duckdb.DuckDBPyRelation:
        """The rights to deploy that ended with an alliance.

        Columns: square, state, basis, ended_alliances.
        """
        return self._report("ended_rights", "state, square")

    def text(self, title: str, style: Format) -> str:
        """Return the whole comparison as text; as CSV, the squares alone."""
        squares = self.squares()
        if style == "csv":
            return formatted(squares, style)
        parts = {
            "Squares whose verdict differs": squares,
            "By state": self.by_state(),
            "Rights to deploy that ended with an alliance": self.ended_rights(),
        }
        if style == "json":
            names = ("squares", "by_state", "ended_rights")
            content = {
                name: json_rows(part) for name, part in zip(names, parts.values(), strict=True)
            }
            return json.dumps({"title": title, **content}, ensure_ascii=False, indent=2) + "\n"
        mark, submark = ("## ", "### ") if style == "markdown" else ("", "")
        blocks = [f"{mark}{title}\n"]
        for heading, part in parts.items():
            count = len(part)
            if count:
                blocks.append(f"{submark}{heading} ({count})\n\n{formatted(part, style)}")
            elif part is squares:
                blocks.append(f"{submark}{heading}: none\n")
        return "\n".join(blocks)

    def _report(self, name: str, order: str) -> duckdb.DuckDBPyRelation:
        return report(self._new, name, order, old=self._old)


def report(
    new: Campaign,
    name: str,
    order: str,
    params: list[object] | None = None,
    old: Campaign | None = None,
) -> duckdb.DuckDBPyRelation:
    """Return a report of sql/reports on a campaign, or on two of them, in order."""
    from nwol_sql.project import Project

    databases = {"new": new.database, "old": (old or new).database}
    return new.sql(f"from ({Project.report(name, databases)}) order by {order}", params)


def war(campaign: Campaign, state_a: str, state_b: str) -> duckdb.DuckDBPyRelation:
    """Return two states' units on each other's ground and on ground that nobody owns alone.

    Columns: unit, state, square, ground (enemy, shared, neutral, unowned), owner, may_deploy.
    Raises QueryError for an unknown state, or the same one twice.
    """
    known_state(campaign, state_a)
    known_state(campaign, state_b)
    if state_a == state_b:
        raise QueryError(f"{state_a} cannot be at war with itself")
    return report(campaign, "war", "state, ground, unit", [state_a, state_b])


def are_allied(campaign: Campaign, state_a: str, state_b: str) -> bool:
    """Return whether two states are allied at the campaign's latest turn."""
    query = (
        "select count(*) from allied_pairs where state = $1 and ally = $2 "
        "and turn = (select turn from latest_turn)"
    )
    return bool(campaign.sql(query, [state_a, state_b]).fetchall()[0][0])


def known_state(campaign: Campaign, state: str) -> None:
    """Raise QueryError if there is no such state."""
    states = [str(row[0]) for row in campaign.sql("select state from states order by 1").fetchall()]
    if state not in states:
        raise QueryError(unknown("state", state, states))


# Eighths of a line, for charts in text.
BARS = "▁▂▃▄▅▆▇█"


def holdings_chart(campaign: Campaign) -> str:
    """Return the holdings as a table, with a small chart of the squares owned in each turn.

    Raises QueryError if there is no turn.
    """
    from nwol_sql.tables import grid

    history: dict[str, list[int]] = {}
    for state, squares in campaign.sql(
        "select state, squares_owned from holdings_by_turn order by turn, state"
    ).fetchall():
        history.setdefault(state, []).append(squares)
    turns = [row[0] for row in campaign.sql("from turns order by turn").fetchall()]
    if not turns:
        raise QueryError(NO_TURNS)
    rows = campaign.sql(
        """
        select holdings.state, coalesce(states.name, ''), holdings.nation, squares_owned,
            squares_shared, cities_held
        from holdings inner join states on holdings.state = states.state
        order by squares_owned desc, squares_shared desc, cities_held desc, holdings.state
        """
    ).fetchall()
    return grid(
        [
            "state",
            "name",
            "nation",
            "owned",
            "shared",
            "cities",
            f"owned, turns {turns[0]} to {turns[-1]}",
        ],
        [[*map(str, row), _bars(history[row[0]])] for row in rows],
        [False, False, False, True, True, True, False],
    )


def _bars(numbers: list[int]) -> str:
    """Return a line of bars, each as high as its number is between nothing and the most."""
    most = max(numbers)
    return "".join(BARS[(number * len(BARS) - 1) // most] if number else "·" for number in numbers)
