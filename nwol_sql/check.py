"""Finds every fault in a campaign's sheets without building anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nwol_sql.build import create, fill, read_and_check, schema_statements
from nwol_sql.errors import Fault
from nwol_sql.project import Project
from nwol_sql.rulesets import load_ruleset, settle_rulings
from nwol_sql.tables import Format, formatted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def find_faults(
    source: object,
    ruleset: str | Path = "nwol",
    rulings: Mapping[str, str | bool] | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
) -> list[Fault]:
    """Return every fault in the sheets, errors first, in the order of sheets and rows.

    Without errors, units that stand where they may not deploy in peacetime are warned about too.

    Raises SourceError where the source cannot be read at all, and RulesetError.
    """
    import duckdb

    rules = load_ruleset(ruleset)
    settled = settle_rulings(rules, rulings)
    project = Project.of(settled, rules.is_lettered)
    with duckdb.connect() as con:
        faults = read_and_check(con, source, rules, project, encoding, delimiter)
        if all(fault.severity == "warning" for fault in faults):
            con.execute("attach ':memory:' as campaign")
            create(con.cursor(), "campaign", schema_statements(project))
            con.execute("use campaign")
            fill(con, rules, settled)
            query = Project.report("misplaced_units", {"new": "campaign"})
            faults += [
                Fault("warning", *row) for row in con.execute(f"{query} order by 2").fetchall()
            ]
        return faults


def fault_table(faults: list[Fault], style: Format) -> str:
    """Return the faults as a table: severity, sheet, row, column, value, problem, nearest."""
    import duckdb

    names = ["severity", "sheet", "row", "column", "value", "problem", "nearest"]
    with duckdb.connect() as con:
        columns = ", ".join(
            f'unnest(${number}::{"bigint" if name == "row" else "varchar"}[]) as "{name}"'
            for number, name in enumerate(names, start=1)
        )
        values = [[getattr(fault, name) for fault in faults] for name in names]
        return formatted(con.sql(f"select {columns}", params=values), style)
