"""A campaign's views on Apache Spark, for maps that are too large for one machine.

    from nwol_sql.spark import create_views

    create_views(session, {"nations": …, "states": …, "squares": …}, ruleset="grid")
    session.table("ownership").write.parquet("ownership")

The templates are DuckDB's, from the reading of the sheets to the verdicts, written in Spark's SQL (see
nwol_sql.dialects). Needs the extra `spark`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nwol_sql.build import LOADS, in_order
from nwol_sql.dialects import translated
from nwol_sql.errors import Fault, SheetError
from nwol_sql.project import CHECKS, SHEETS, TABLES, Project
from nwol_sql.quoting import literal
from nwol_sql.render import rulings_table
from nwol_sql.rulesets import load_ruleset, settle_rulings
from nwol_sql.schema import relations, sheet_specs
from nwol_sql.sheets import missing_columns, missing_sheet, mistaken_columns, plain_name
from nwol_sql.textfiles import BLANKS
from nwol_sql.tiles import MAP_SIZE, checked_tile_sizes, tile_sizes_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from nwol_sql.rulesets import Ruleset
    from nwol_sql.schema import SheetSpec

# So many faults are listed at most: a map of billions of squares can have as many.
MOST_FAULTS = 1000

NO_MATRIX_NAMES = (
    "select cast(null as bigint) as sheet_row, cast(null as string) as state where false"
)


def create_views(
    session: SparkSession,
    sheets: Mapping[str, DataFrame],
    ruleset: str | Path = "nwol",
    rulings: Mapping[str, str | bool] | None = None,
    store: str | None = None,
    check: bool = True,
    tile_sizes: Sequence[int] | None = None,
) -> list[str]:
    """Create a campaign's tables and views as temporary views of a Spark session; return their names.

    `sheets` maps the names of a campaign's sheets to data frames with the sheets' columns, of any type,
    in any order; squares are given by name, by x and y, or both. `ruleset`, `rulings` and `tile_sizes`
    are as for `Campaign.build`.

    What many views read (the tables, nearest cities, tie groups and their verdicts) is worked out once
    and kept: by the executors, or, if `store` names a folder that Spark can write, there as Parquet,
    over what is there. When a sheet changes, call it again.

    `check` runs the checks that find errors, on all sheets. A fault's row is its place in the data
    frame, from 2 on; rows of squares are numbered as Spark divides them. Warnings are not looked for.
    Without `check`, sheets with errors give verdicts that mean nothing.

    Raises SheetError, with the faults (at most 1,000), RulesetError, and QueryError for impossible tile
    sizes or if sqlglot is not installed.
    """
    rules = load_ruleset(ruleset)
    settled = settle_rulings(rules, rulings)
    sizes = None if tile_sizes is None else checked_tile_sizes(tile_sizes)
    project = Project.of(settled, rules.is_lettered, sizes or (), (), "spark", in_parts=True)
    spark = _Spark(session, store)
    readers = spark.read(sheets, rules, project, check)
    if check:
        spark.check(project)
    names = project.names(*TABLES)
    for name, load in LOADS.items():
        spark.keep(
            name, spark.sql(translated(load, project.dialect)).toDF(*relations()[name].columns)
        )
    session.sql(project.statement("rules").rstrip(";"))
    session.sql(rulings_table(project, rules).rstrip(";"))
    for reader in readers:
        session.catalog.dropTempView(reader)
    if sizes is None:
        sizes = spark.choose_tile_sizes(project)
        project = project.variant(sizes)
    for view in project.views():
        if view.is_kept:
            spark.keep(view.name, spark.sql(project.compiled(view)))
        else:
            session.sql(project.statement(view).rstrip(";"))
        names.append(view.name)
    return names


class _Spark:
    """A session, and where what is worked out once is kept."""

    def __init__(self, session: SparkSession, store: str | None) -> None:
        self.session = session
        self.store = None if store is None else store.rstrip("/")
        self.needed: list[SheetSpec] = []

    def sql(self, query: str) -> DataFrame:
        return self.session.sql(query)

    def keep(self, name: str, frame: DataFrame) -> None:
        """Make a temporary view of a query's rows, so that Spark does not plan the query again."""
        if self.store is None:
            kept = frame.localCheckpoint(eager=False)
        else:
            path = f"{self.store}/{name}"
            frame.write.mode("overwrite").parquet(path)
            kept = self.session.read.parquet(path)
        kept.createOrReplaceTempView(name)

    def read(
        self, sheets: Mapping[str, DataFrame], ruleset: Ruleset, project: Project, check: bool
    ) -> list[str]:
        """Create views of the sheets as text, and of what the text means; return their names."""
        found = {plain_name(name): frame for name, frame in sheets.items()}
        faults = [
            Fault("error", name, None, None, None, "there is no sheet of this name in a campaign")
            for name in found
            if name not in sheet_specs()
        ]
        texts = {}
        for name, spec in sheet_specs().items():
            frame = found.get(name)
            columns = (
                {} if frame is None else {plain_name(column): column for column in frame.columns}
            )
            if _is_needed(spec, found):
                self.needed.append(spec)
                if frame is None:
                    problem = missing_sheet(spec, False)
                    faults.append(Fault("error", name, None, None, None, problem))
            if frame is not None:
                faults += _column_faults(spec, columns)
            texts[name] = self._text_of(spec, frame, columns)
        if faults:
            raise SheetError(in_order(faults))
        for name, text in texts.items():
            if check:
                # Checked by many queries, so read once.
                self.keep(f"sheet_{name}", text)
            else:
                text.createOrReplaceTempView(f"sheet_{name}")
        readers = [f"sheet_{name}" for name in texts]
        for name, axis, names in (
            ("column_names", "x", ruleset.column_names),
            ("row_names", "y", ruleset.row_names),
        ):
            self.sql(
                f"select name, cast({axis} as bigint) as {axis} "
                f"from (select posexplode(split('{' '.join(names)}', ' ')) as ({axis}, name))"
            ).createOrReplaceTempView(name)
            readers.append(name)
        # Data frames are lists: none of them is a matrix.
        self.sql(NO_MATRIX_NAMES).createOrReplaceTempView("matrix_names")
        readers.append("matrix_names")
        for name in project.names(*SHEETS):
            meaning = self.sql(project.template(name).sql)
            if check:
                self.keep(name, meaning)
            else:
                meaning.createOrReplaceTempView(name)
            readers.append(name)
        return readers

    def _text_of(
        self, spec: SheetSpec, frame: DataFrame | None, columns: Mapping[str, str]
    ) -> DataFrame:
        """Return a sheet's known columns as text, with numbered rows; empty rows are left out."""
        if frame is None:
            empty = ", ".join(f"cast(null as string) as {column}" for column in spec.columns)
            return self.sql(f"select cast(null as bigint) as sheet_row, {empty} where false")
        types = dict(frame.dtypes)
        # Few rows, in their order; squares may be too many for one task.
        numbered = frame if spec.name == "squares" else frame.coalesce(1)
        return numbered.selectExpr(
            "monotonically_increasing_id() + 2 as sheet_row",
            *(
                f"{_text(columns[column], types[columns[column]])} as {column}"
                if column in columns
                else f"cast(null as string) as {column}"
                for column in spec.columns
            ),
        ).where(" or ".join(f"{column} is not null" for column in spec.columns))

    def check(self, project: Project) -> None:
        """Run the checks that find errors. Raises SheetError if there are any."""
        queries = [
            f"select * from (\n{template.sql}\n)"
            for template in map(project.template, project.names(*CHECKS))
            if template.header[0].startswith("Error:")
        ]
        queries += [
            f"select '{spec.name}', null, null, null, {literal(missing_sheet(spec, True))}, null "
            f"where not exists (select * from sheet_{spec.name})"
            for spec in self.needed
        ]
        rows = self.sql("\nunion all\n".join(queries)).limit(MOST_FAULTS).collect()
        if rows:
            raise SheetError(in_order([Fault("error", *row) for row in rows]))

    def choose_tile_sizes(self, project: Project) -> tuple[int, ...]:
        self.sql(project.statement("city_places").rstrip(";"))
        ((pairs, area, span, cities),) = self.sql(translated(MAP_SIZE, project.dialect)).collect()
        return tile_sizes_for(int(pairs), float(area), int(span), int(cities))


def _column_faults(spec: SheetSpec, columns: Mapping[str, str]) -> list[Fault]:
    """Return what is wrong with a data frame's columns, given by their plain names."""
    unknown = [(shown, name) for name, shown in columns.items() if name not in spec.columns]
    faults = [
        Fault("error", spec.name, None, shown, None, problem)
        for shown, problem in mistaken_columns(spec, columns, unknown)
    ]
    faults += [
        Fault("error", spec.name, None, None, None, problem)
        for problem in missing_columns(spec, columns)
    ]
    return faults


def _is_needed(spec: SheetSpec, found: Mapping[str, DataFrame]) -> bool:
    """Tell whether a sheet must be there: not if another one's column stands for it."""
    if spec.unless is None or spec.unless[0] not in found:
        return spec.is_required
    return spec.unless[1] not in map(plain_name, found[spec.unless[0]].columns)


def _text(column: str, kind: str) -> str:
    """Return the expression for a column's values as the text that they would be typed as."""
    quoted = "`" + column.replace("`", "``") + "`"
    text = f"cast({quoted} as string)"
    if kind in ("float", "double"):
        # Spark would write ten million as 1.0E7.
        text = (
            f"case when isnan({quoted}) then null when {quoted} = try_cast({quoted} as bigint) "
            f"then cast(cast({quoted} as bigint) as string) else {text} end"
        )
    blanks = "".join(f"\\u{ord(character):04x}" for character in BLANKS)
    return f"nullif(trim(both '{blanks}' from {text}), '')"
