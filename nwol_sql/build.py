"""Turns sheets into a campaign's tables and views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nwol_sql.errors import Fault, Severity, SheetError
from nwol_sql.progress import GATHERING, SEARCHING
from nwol_sql.project import CHECKS, FINGERPRINT, GUARD, SHEETS, STORED, TABLES, VIEWS, Project
from nwol_sql.quoting import literal
from nwol_sql.rulesets import known_rulings
from nwol_sql.schema import all_relations, relations, sheet_specs
from nwol_sql.sheets import Reading, load_sheets

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import duckdb

    from nwol_sql.rulesets import Ruleset

# How each table is filled from the sheets. Rows that say the same twice count once.
LOADS = {
    "nations": "select nation, name, lower(kind), state from sheet_nations",
    "states": "select state, nation, name, color from sheet_states",
    "squares": "select square, x, y, nation, terrain from typed_squares",
    "cities": "select city, square, level from typed_cities",
    "control": "select distinct turn, city, state from typed_control",
    "alliances": (
        "select turn, arg_min(state_a, sheet_row), arg_min(state_b, sheet_row), any_value(allied) "
        "from typed_alliances group by turn, first_state, second_state"
    ),
    "units": "select unit, state, square from typed_units",
}


def read_and_check(
    con: duckdb.DuckDBPyConnection,
    source: object,
    ruleset: Ruleset,
    project: Project,
    encoding: str | None = None,
    delimiter: str | None = None,
) -> list[Fault]:
    """Load the sheets as temporary tables and return every fault in them, errors first by sheet.

    Raises SourceError where the source cannot be read at all.
    """
    loaded = load_sheets(con, source, Reading(ruleset.is_lettered, encoding, delimiter))
    faults = loaded.faults
    _name_axes(con, ruleset)
    for name in project.names(*SHEETS):
        con.execute(f"create or replace temp table {name} as {project.template(name).sql}")
    # What was said of a cell is not said again, and nothing is said of a row that is not whole.
    spoiled = {(fault.sheet, fault.row, fault.column) for fault in faults}
    for name in project.names(*CHECKS):
        check = project.template(name)
        if check.required & loaded.broken:
            continue
        severity: Severity = "error" if check.header[0].startswith("Error:") else "warning"
        for sheet, row, column, value, problem, nearest in con.execute(check.sql).fetchall():
            fault = loaded.located(Fault(severity, sheet, row, column, value, problem, nearest))
            if (sheet, row) not in loaded.ragged and (
                (fault.sheet, fault.row, fault.column) not in spoiled
            ):
                faults.append(fault)
    return in_order(faults)


def in_order(faults: list[Fault]) -> list[Fault]:
    """Return the faults, each once, errors first by sheet and row."""
    order = {name: number for number, name in enumerate(sheet_specs())}
    return sorted(
        dict.fromkeys(faults),
        key=lambda fault: (
            fault.severity,
            order.get(fault.sheet, len(order)),
            fault.row or 0,
            fault.column or "",
            fault.problem,
        ),
    )


def schema_statements(project: Project) -> list[str]:
    """Return the statements that create the tables and views and describe them."""
    statements = [project.statement(name) for name in project.names(*TABLES)]
    for name in project.names(*TABLES):
        statements += comments("table", name, project.template(name).comment)
    return statements + view_statements(project)


def view_statements(project: Project, replace: bool = False) -> list[str]:
    """Return the statements that create the views (or replace older ones) and describe them."""
    names = project.names(*VIEWS)
    statements = [project.statement(name, replace) for name in names]
    for name in names:
        statements += comments("view", name, project.template(name).comment)
    return statements


def store_geometry(
    con: duckdb.DuckDBPyConnection,
    project: Project,
    begin: Callable[[str], None] = lambda step: None,
) -> None:
    """Work out the nearest cities and tie groups and store them, and have the views read the tables.

    `begin` is told which of the build's steps begins.
    """
    con.execute("begin")
    try:
        stored = project.variant(project.tile_sizes, STORED)
        fingerprint = stored.template("geometry_fingerprint")
        con.execute(f"create or replace table {FINGERPRINT} as {fingerprint.sql}")
        for statement in comments("table", FINGERPRINT, fingerprint.comment):
            con.execute(statement)
        con.execute(stored.statement(GUARD, replace=True))
        for number, name in enumerate(STORED):
            begin(SEARCHING if number == 0 else GATHERING)
            # What has been stored already is read when the next is worked out.
            step = project.variant(project.tile_sizes, STORED[:number])
            con.execute(f"create or replace table stored_{name} as {step.compiled(name)}")
            for statement in comments("table", f"stored_{name}", step.template(name).comment):
                con.execute(statement)
        con.execute("\n".join(view_statements(stored, replace=True)))
    except BaseException:
        con.execute("rollback")
        raise
    con.execute("commit")


def comments(kind: str, name: str, comment: str) -> list[str]:
    """Return the statements that describe a relation and its columns."""
    columns = all_relations()[name].columns
    return [
        f"comment on {kind} {name} is {literal(comment)};",
        *(
            f"comment on column {name}.{column} is {literal(description)};"
            for column, description in columns.items()
        ),
    ]


def create(con: duckdb.DuckDBPyConnection, database: str, statements: list[str]) -> None:
    """Create the tables and views in a database that is attached."""
    with con:
        con.execute(f"use {database}")
        con.execute("begin")
        con.execute("\n".join(statements))
        con.execute("commit")


def fill(con: duckdb.DuckDBPyConnection, ruleset: Ruleset, rulings: Mapping[str, str]) -> None:
    """Fill the current database's tables from the sheets."""
    con.execute("begin")
    for name, load in LOADS.items():
        keys = ", ".join(relations()[name].key)
        # Stored in the order of the key, whatever the order of the sheet's rows.
        con.execute(f"insert into {name} {load} order by {_positions(name, keys)}")
    for row in ruling_rows(ruleset, rulings):
        con.execute("insert into rulings values (?, ?, ?, ?, ?, ?, ?)", row)
    con.execute("commit")


def refuse_errors(faults: list[Fault]) -> list[Fault]:
    """Return the faults if all are warnings. Raises SheetError otherwise."""
    if any(fault.severity == "error" for fault in faults):
        raise SheetError(faults)
    return faults


def _positions(name: str, keys: str) -> str:
    columns = [*relations()[name].columns]
    return ", ".join(str(columns.index(key) + 1) for key in keys.split(", "))


def _name_axes(con: duckdb.DuckDBPyConnection, ruleset: Ruleset) -> None:
    """Create the names of the map's columns and rows."""
    for table, axis, names in (
        ("column_names", "x", ruleset.column_names),
        ("row_names", "y", ruleset.row_names),
    ):
        con.execute(
            f"create or replace temp table {table} as select unnest($1::varchar[]) as name, "
            f"unnest(range(len($1::varchar[]))) as {axis}",
            [names],
        )


def ruling_rows(ruleset: Ruleset, rulings: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Return the rows of table rulings."""
    return [
        (
            name,
            rulings[name],
            ruling.values[rulings[name]],
            ruling.summary,
            ruleset.name,
            ruleset.rulings[name],
            ruleset.title,
        )
        for name, ruling in known_rulings().items()
    ]
