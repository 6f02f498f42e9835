"""Writes the compiled SQL of a relation, or of all, for DuckDB or another engine to run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nwol_sql.build import comments, ruling_rows
from nwol_sql.dialects import translated
from nwol_sql.errors import QueryError, unknown
from nwol_sql.project import GEOMETRY, TABLES, VIEWS, Project, View
from nwol_sql.quoting import literal
from nwol_sql.rulesets import load_ruleset, settle_rulings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from nwol_sql.rulesets import Ruleset

NO_NESTED_LOOPS = """\
-- PostgreSQL takes each step of the search by tiles for a few rows. Before you ask on a large map, have
-- it join otherwise than row by row:
--     set enable_nestloop = off;"""


def rendered(
    relation: str | None = None,
    ruleset: str | Path = "nwol",
    rulings: Mapping[str, str | bool] | None = None,
    dialect: str = "duckdb",
    tile_sizes: Sequence[int] = (),
) -> str:
    """Return the statements that make a table or view, or all tables and views in order.

    `dialect` is duckdb, spark or postgres. `tile_sizes` are those of the tiles by which nearest cities
    are searched; empty: every city is compared.

    Raises QueryError for an unknown relation or dialect, or if sqlglot is not installed; RulesetError.
    """
    rules = load_ruleset(ruleset)
    settled = settle_rulings(rules, rulings)
    project = Project.of(settled, rules.is_lettered, tile_sizes, (), dialect)
    tables = project.names(*TABLES)
    if relation is None:
        views = project.views()
    else:
        names = [*tables, *project.names(*VIEWS)]
        if relation not in names:
            raise QueryError(unknown("relation", relation, sorted(names)))
        views = [] if relation in tables else project.views(relation)
        tables = [relation] if relation in tables else []
    statements = [project.documented(name) for name in tables]
    if dialect != "duckdb" and "rulings" in tables:
        statements[tables.index("rulings")] = rulings_table(project, rules)
    statements += [_view(project, view) for view in views]
    if dialect == "postgres":
        described = [("table", name, name) for name in tables]
        described += [("view", view.name, view.template) for view in views]
        statements += [
            "\n".join(comments(kind, name, project.template(template).comment))
            for kind, name, template in described
        ]
        if tile_sizes:
            statements.insert(0, NO_NESTED_LOOPS)
    return "\n\n".join(statements)


def rulings_table(project: Project, ruleset: Ruleset) -> str:
    """Return the statements that make table rulings with its rows, or a view of them."""
    template = Project.of(project.rulings, project.is_lettered).template("rulings")
    rows = ",\n".join(
        f"({', '.join(map(literal, row))})" for row in ruling_rows(ruleset, project.rulings)
    )
    head = "\n".join(f"-- {line}" for line in template.header)
    sql = translated(f"{template.sql};\ninsert into rulings values\n{rows}", project.dialect)
    return f"{head}\n{sql};"


def _view(project: Project, view: View) -> str:
    text = project.documented(view)
    # Worked out when it is first read, and then kept for all the views that read it.
    if not project.dialect.can_share and view.template in GEOMETRY:
        text += f"\ncache lazy table {view.name};"
    return text
