"""Writes the templates' SQL for other engines than DuckDB, by way of sqlglot.

sqlglot knows most of what differs. What it does not write, or writes so that it would mean something
else, is rewritten here in the tree of a statement before it is written out: each rewriting says why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nwol_sql.errors import QueryError, unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    Expression = Any  # sqlglot's own types come with sqlglot, which is optional
    Rewriting = Callable[[Expression], Expression]


@dataclass(frozen=True)
class Dialect:
    """An engine's SQL, and what differs in it beyond single queries.

    `create_view` begins the statement that makes a view. `can_share` tells whether a view can work out a
    step once and read it twice (`as materialized`); where it cannot, the geometry is apart.
    `has_tables` tells whether the campaign's tables are created, or are there already, as views of the
    user's.
    """

    name: str
    create_view: str = "create view"
    can_share: bool = True
    has_tables: bool = True


DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect("duckdb"),
        Dialect("spark", "create or replace temporary view", can_share=False, has_tables=False),
        Dialect("postgres", "create or replace view"),
    )
}


def dialect_named(name: str) -> Dialect:
    """Return a dialect. Raises QueryError if there is none of that name."""
    if name not in DIALECTS:
        raise QueryError(unknown("dialect", name, [*DIALECTS]))
    return DIALECTS[name]


def translated(sql: str, dialect: Dialect) -> str:
    """Return a template's statement or statements, which are DuckDB's SQL, in another dialect.

    Where a dialect has no tables, a table that is created with rows becomes a view of these rows, and
    one that is created empty becomes a comment that says which columns it has.

    Raises QueryError if sqlglot is not installed.
    """
    if dialect.name == "duckdb":
        return sql
    trees = [_rewritten(tree, dialect.name) for tree in _parsed(sql)]
    if not dialect.has_tables and trees[0].key == "create":
        return _instead_of_table(*trees, dialect=dialect)
    return ";\n\n".join(_text(tree, dialect) for tree in trees)


def parted(name: str, sql: str, dialect: Dialect) -> dict[str, str]:
    """Return a query as several, by the names of their views, for a dialect that cannot share steps.

    The last is the query's own, `name`. Before it come those of its common table expressions that are
    to be worked out once (`as materialized`): each becomes a view that the later ones read.
    """
    from sqlglot import exp

    (query,) = _parsed(sql)
    steps = query.ctes
    if steps:
        query.find(exp.With).pop()
    inlined: dict[str, Expression] = {}
    renamed: dict[str, str] = {}
    parts: dict[str, str] = {}

    def add(view: str, body: Expression) -> None:
        names = _read_steps(body, inlined)
        for step in [step for step in inlined if step in names]:
            body = body.with_(step, as_=inlined[step].copy(), copy=False)
        for table in body.find_all(exp.Table):
            if table.name in renamed:
                new = exp.to_table(renamed[table.name], alias=table.alias or table.name)
                table.replace(new)
        parts[view] = _text(_rewritten(body, dialect.name), dialect)

    for step in steps:
        if step.args.get("materialized"):
            add(f"{name}_{step.alias}", step.this)
            renamed[step.alias] = f"{name}_{step.alias}"
        else:
            inlined[step.alias] = step.this
    add(name, query)
    return parts


def _read_steps(body: Expression, steps: dict[str, Expression]) -> set[str]:
    """Return which of these steps a query reads, by itself or by way of others."""
    from sqlglot import exp

    read: set[str] = set()
    for table in body.find_all(exp.Table):
        if table.name in steps and table.name not in read:
            read |= {table.name, *_read_steps(steps[table.name], steps)}
    return read


def _parsed(sql: str) -> list[Expression]:
    try:
        import sqlglot
    except ImportError as error:
        raise QueryError(
            "to write another dialect, install sqlglot: pip install 'nwol-sql[dialects]'"
        ) from error
    return [tree for tree in sqlglot.parse(sql, read="duckdb") if tree is not None]


def _text(tree: Expression, dialect: Dialect) -> str:
    from sqlglot import ErrorLevel

    text: str = tree.sql(
        dialect=dialect.name,
        pretty=True,
        indent=4,
        pad=4,
        max_text_width=100,
        normalize_functions="lower",
        unsupported_level=ErrorLevel.RAISE,
    )
    return text


def _rewritten(tree: Expression, dialect: str) -> Expression:
    rewritings = _rewritings(dialect)
    # From the leaves up, so that what stands in a rewritten node has been rewritten before.
    for node in reversed([*tree.walk(bfs=True)]):
        rewrite = rewritings.get(node.key)
        if rewrite is not None:
            new = rewrite(node)
            if new is not node:
                node.replace(new)
    return tree


def _rewritings(dialect: str) -> dict[str, Rewriting]:
    """Return what is to be rewritten for a dialect, by the kind of the node."""
    from sqlglot import exp

    def array_size(node: Expression) -> Expression:
        # sqlglot writes size(), which is -1 for no array where Spark's ANSI mode is off.
        return exp.Anonymous(this="array_size", expressions=[node.this])

    def step(node: Expression) -> Expression:
        # Spark has no word for a step that is to be worked out once.
        node.set("materialized", None)
        return node

    def full_match(node: Expression) -> Expression:
        # Spark finds a pattern anywhere in a text.
        pattern = exp.Literal.string(f"^(?:{node.expression.this})$")
        return exp.RegexpLike(this=node.this, expression=pattern)

    def levenshtein(node: Expression) -> Expression:
        # Spark counts no swap of letters as one edit. Only the nearest spellings in messages need it.
        if node.name == "damerau_levenshtein":
            return exp.Levenshtein(this=node.expressions[0], expression=node.expressions[1])
        return node

    def ordered(value: Expression, key: Expression, descending: bool = False) -> Expression:
        order = exp.Ordered(this=key, desc=descending, nulls_first=False)
        return exp.ArrayAgg(this=exp.Order(this=value, expressions=[order]))

    def array_sort(node: Expression) -> Expression:
        # PostgreSQL sorts no array, but it sorts what goes into one.
        value = node.this.this
        return ordered(value, value.copy())

    def arg_max(node: Expression) -> Expression:
        # PostgreSQL has no max_by().
        rows = ordered(node.this, node.expression, descending=True)
        return exp.Bracket(this=exp.Paren(this=rows), expressions=[exp.Literal.number(0)])

    def any_value(node: Expression) -> Expression:
        # PostgreSQL has any_value() from release 16 on only. Spark takes it for a matter of chance, and
        # then plans the query otherwise; min() is any value too.
        return exp.Min(this=node.this)

    def ignore_nulls(node: Expression) -> Expression:
        # So sqlglot reads DuckDB's any_value(); min() ignores them anyway.
        return node.this

    def whole_division(node: Expression) -> Expression:
        # PostgreSQL's div() is slow, on numbers of any length; `/` on whole numbers is DuckDB's `//`.
        return exp.Paren(this=exp.Div(this=node.this, expression=node.expression, typed=True))

    def column(node: Expression) -> Expression:
        # DuckDB sorts texts by their bytes, PostgreSQL by the habits of the database's language.
        if node.kind.is_type("text"):
            collation = exp.CollateColumnConstraint(this=exp.to_identifier("C", quoted=True))
            node.set(
                "constraints", [exp.ColumnConstraint(kind=collation), *node.args["constraints"]]
            )
        return node

    rewritings: dict[str, dict[str, Rewriting]] = {
        "spark": {
            "arraysize": array_size,
            "regexpfullmatch": full_match,
            "anonymous": levenshtein,
            "anyvalue": any_value,
            "ignorenulls": ignore_nulls,
            "cte": step,
        },
        "postgres": {
            "arraysort": array_sort,
            "argmax": arg_max,
            "anyvalue": any_value,
            "ignorenulls": ignore_nulls,
            "intdiv": whole_division,
            "columndef": column,
        },
    }
    return rewritings[dialect]


def _instead_of_table(create: Expression, *inserts: Expression, dialect: Dialect) -> str:
    """Return a view of a table's rows, or, if it has none, a comment that names its columns."""
    from sqlglot import exp

    table = create.this.this.name
    columns = [*create.this.find_all(exp.ColumnDef)]
    if not inserts:
        types = ", ".join(f"{c.name} {_text(c.kind, dialect).lower()}" for c in columns)
        return f"-- {table} ({types}): a table or temporary view of yours"
    values = exp.Values(
        expressions=[row for insert in inserts for row in insert.expression.expressions],
        alias=exp.TableAlias(
            this=exp.to_identifier(table), columns=[exp.to_identifier(c.name) for c in columns]
        ),
    )
    names = [exp.column(c.name) for c in columns]
    return f"{dialect.create_view} {table} as\n{_text(exp.select(*names).from_(values), dialect)}"
