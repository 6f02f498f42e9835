"""The views on Spark, in local mode: row by row those of DuckDB."""

from __future__ import annotations

import csv
import os
import re
import shutil
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from benchmarks.maps import make_map
from nwol_sql import Campaign, SheetError
from nwol_sql.errors import QueryError
from nwol_sql.render import rendered
from nwol_sql.schema import sheet_specs
from tests.conftest import ROOT, SEEDS, VALLEY
from tests.engines import PAIRS, TABLES, VIEWS, assert_expected, cases_together, difference

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

# CI sets the variable, so that there the tests cannot be skipped.
pytestmark = [
    pytest.mark.skipif(
        (find_spec("pyspark") is None or shutil.which("java") is None)
        and not os.environ.get("NWOL_SQL_SPARK"),
        reason="PySpark or Java is not installed",
    ),
    # PySpark looks at the pandas that it finds; nothing here uses it.
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
    # Its sockets are closed by the Java side, later.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

# Compiling each query, and planning it again while it runs, takes longer than the small ones here run.
QUICK = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
}


@pytest.fixture
def as_usual(session: SparkSession) -> Iterator[None]:
    """Have Spark work as it does where nothing is set."""
    for name in QUICK:
        session.conf.unset(name)
    yield
    for name, value in QUICK.items():
        session.conf.set(name, value)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    from pyspark.sql import SparkSession

    folder = tmp_path_factory.mktemp("spark")
    # The example in the documents gets this session too: there is one in a process.
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "ERROR")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.local.dir", str(folder))
        .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
        .getOrCreate()
    )
    for name, value in QUICK.items():
        session.conf.set(name, value)
    yield session
    session.stop()


def folder_frames(session: SparkSession, folder: Path) -> dict[str, DataFrame]:
    """A folder's sheets: text from CSV, typed columns from Parquet."""
    frames = {
        path.stem: session.read.csv(str(path), header=True, escape='"')
        for path in folder.glob("*.csv")
    }
    frames |= {path.stem: session.read.parquet(str(path)) for path in folder.glob("*.parquet")}
    return frames


def frames(
    session: SparkSession, folder: Path, sheets: dict[str, list[dict[str, Any]]]
) -> dict[str, DataFrame]:
    """Data frames of sheets given as rows."""
    folder.mkdir()
    for name, rows in sheets.items():
        if rows:
            with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(
                    file, list(dict.fromkeys(key for row in rows for key in row))
                )
                writer.writeheader()
                writer.writerows(rows)
    return folder_frames(session, folder)


def differences(
    session: SparkSession, campaign: Campaign, views: Sequence[str] = VIEWS
) -> list[str]:
    con = campaign.connection.cursor()
    con.execute("use campaign")
    found = []
    for name in views:
        con.register("there", session.table(name).toArrow())
        found.append(difference(campaign, name, "there", con))
        con.unregister("there")
    return [text for text in found if text]


def test_a_bundled_campaign(session: SparkSession) -> None:
    compare_bundled(session, "nwol", check=True)


def test_the_other_bundled_campaign(session: SparkSession) -> None:
    # What the checks find is tested below; one whole campaign has passed them.
    compare_bundled(session, "amwol", check=False)


def compare_bundled(session: SparkSession, name: str, check: bool) -> None:
    from nwol_sql.spark import create_views

    views = create_views(session, folder_frames(session, SEEDS / name), name, check=check)
    assert {*VIEWS, *TABLES, "rules", "rulings"} <= set(views)
    # What served to read the sheets is gone.
    assert {table.name for table in session.catalog.listTables()} == set(views)
    with Campaign.build(SEEDS / name, name) as campaign:
        assert differences(session, campaign, (*VIEWS, *TABLES, "rules", "rulings")) == []


@pytest.mark.usefixtures("as_usual")
def test_a_grid_of_200_000_squares(session: SparkSession, tmp_path: Path) -> None:
    from nwol_sql.spark import create_views

    folder = make_map(tmp_path / "map", 500, 400, 1000, nations=3, sea=0.2, blocks=5)
    sizes = (256, 64, 16, 4)
    views = create_views(
        session, folder_frames(session, folder), "grid", check=False, tile_sizes=sizes
    )
    assert "nearest_matches_tiles_4" in views
    with Campaign.build(folder, "grid", materialize=True) as campaign:
        assert session.table("ownership").count() == 200_000
        views = [name for name in VIEWS if name not in PAIRS]
        assert differences(session, campaign, views) == []


def test_the_numbered_cases(session: SparkSession, tmp_path: Path) -> None:
    from nwol_sql.spark import create_views

    played = 0
    for number, (ruleset, rulings, sheets, expected) in enumerate(cases_together()):
        # Those with a ruling of their own are few; PostgreSQL's tests have them all.
        if rulings:
            continue
        folder = tmp_path / str(number)
        create_views(session, frames(session, folder, sheets), ruleset, rulings, check=False)
        with duckdb.connect() as con:
            for name in ("ownership_by_turn", "deployment_by_turn"):
                con.register("there", session.table(name).toArrow())
                con.execute(f"create table {name} as from there")
            assert_expected(con, expected)
        played += len(expected)
    assert played > 50


def test_other_rulings_a_store_and_sparks_older_manners(
    session: SparkSession, tmp_path: Path
) -> None:
    """Without ANSI mode, errors are nulls and the size of no array is -1."""
    from nwol_sql.spark import create_views

    rulings: dict[str, str | bool] = {
        "metric": "manhattan",
        "foreign_pair_owns": False,
        "foreign_group_owns": False,
        "group_allies": "national_sides",
        "national_scope": "fragmented",
        "owner_allies_deploy": True,
    }
    session.conf.set("spark.sql.ansi.enabled", "false")
    try:
        create_views(
            session,
            folder_frames(session, VALLEY),
            "grid",
            rulings,
            store=str(tmp_path / "kept"),
            check=False,
            tile_sizes=(4, 2),
        )
        with Campaign.build(VALLEY, "grid", rulings) as campaign:
            assert differences(session, campaign) == []
    finally:
        session.conf.unset("spark.sql.ansi.enabled")
    assert (tmp_path / "kept" / "tie_group_verdicts").is_dir()


def test_a_rendered_script_runs_over_tables_of_ones_own(session: SparkSession) -> None:
    with Campaign.build(VALLEY, "grid") as campaign:
        for name in TABLES:
            table = campaign.sql(f"select * from {name}").arrow()
            reader = table.read_all() if hasattr(table, "read_all") else table
            session.createDataFrame(reader).createOrReplaceTempView(name)
        for statement in rendered(None, "grid", dialect="spark").split(";\n"):
            if not all(line.startswith("--") or not line for line in statement.splitlines()):
                session.sql(statement.rstrip().rstrip(";"))
        assert differences(session, campaign, ("ownership", "war_exposure")) == []
    session.catalog.clearCache()


def test_typed_columns_in_any_order_are_read_as_they_were_meant(
    session: SparkSession, tmp_path: Path
) -> None:
    from nwol_sql.spark import create_views

    sheets = {
        "Nations": "select * from values ('F') as t (nation)",
        "states": "select * from values ('A', 'F'), ('B', 'F') as t (state, nation)",
        # A column of fractions, as pandas makes one of whole numbers with gaps; and a large one.
        "squares": (
            "select cast(1e7 as double) + id as `X `, cast(0 as smallint) as y, "
            "case when id < 4 then ' F ' else '' end as Nation, 'plain' as terrain, 1 as other "
            "from range(5)"
        ),
        "cities": (
            "select * from values ('Ulm', 10000000, 0, 'A', 3), ('Hof', 10000003, 0, 'B', null) "
            "as t (city, x, y, state, level)"
        ),
        "alliances": "select 'A' as state_b, 'B' as state_a, true as allied, 2L as turn",
    }
    given = {name: session.sql(query) for name, query in sheets.items()}
    create_views(session, given, "grid")
    rows = {
        row.square: (row.nation, row.status, row.owner, row.rule)
        for row in session.table("ownership").collect()
    }
    assert rows["10000000,0"] == ("F", "owned", "A", "1a")
    assert rows["10000003,0"] == ("F", "owned", "B", "1a")
    assert rows["10000004,0"] == (None, "outside", None, None)
    assert [row.turn for row in session.table("turns").orderBy("turn").collect()] == [0, 2]
    assert session.table("units").count() == 0


def test_sheets_with_errors_are_refused(session: SparkSession, tmp_path: Path) -> None:
    from nwol_sql.spark import create_views

    good = folder_frames(session, VALLEY)
    with pytest.raises(SheetError) as missing:
        create_views(
            session,
            {
                "nations": good["nations"],
                "states": good["states"].drop("nation"),
                "squares": good["squares"],
                "city": good["cities"],
                "control": good["control"].withColumnRenamed("turn", "turns"),
            },
            "grid",
        )
    assert {(fault.sheet, fault.problem) for fault in missing.value.faults} == {
        ("city", "there is no sheet of this name in a campaign"),
        ("cities", "the sheet is missing"),
        ("states", "the headings lack nation"),
        ("control", "this column is unknown: is it turn? then rename it"),
    }
    city, state = good["control"].select("city", "state").first()
    bad = {
        **good,
        "states": good["states"].where("false"),
        "squares": good["squares"].unionByName(good["squares"].limit(1)),
        "control": good["control"].unionByName(
            session.sql(f"select '{city}x' as city, '{state}' as state, 'two' as turn")
        ),
    }
    with pytest.raises(SheetError) as found:
        create_views(session, bad, "grid")
    problems = {(fault.sheet, fault.problem): fault for fault in found.value.faults}
    assert ("states", "the sheet has no rows") in problems
    assert problems["control", "sheet cities does not list this city"].nearest == city
    assert problems["control", "turn is not a whole number"].value == "two"
    assert any("this square is already in row" in problem for _, problem in problems)
    # As many as DuckDB finds, of the kinds that both look for.
    rows = {name: [row.asDict() for row in frame.collect()] for name, frame in bad.items()}
    with pytest.raises(SheetError) as same:
        Campaign.build({name: rows[name] for name in sheet_specs() if name in rows}, "grid")
    assert {
        (fault.sheet, fault.column, fault.value)
        for fault in same.value.faults
        if fault.severity == "error" and fault.sheet == "control"
    } <= {(fault.sheet, fault.column, fault.value) for fault in found.value.faults}
    with pytest.raises(QueryError, match="divide"):
        create_views(session, good, "grid", tile_sizes=(4, 3))


@pytest.mark.usefixtures("session")
def test_the_example_in_the_documents(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "scale.md").read_text("utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    folder = make_map(tmp_path / "map", 60, 40, 12)
    # Spark's own current folder cannot be changed.
    example = re.sub(r'"(map/|kept)', rf'"{tmp_path.as_posix()}/\1', example)
    exec(example.replace('parquet("ownership', f'parquet("{tmp_path.as_posix()}/ownership'), {})
    with Campaign.build(folder, "grid") as campaign, duckdb.connect() as con:
        rows = campaign.sql("select * from ownership order by square").fetchall()
        written = con.execute(f"from '{tmp_path}/ownership/*.parquet' order by square").fetchall()
        assert written == rows
    assert (tmp_path / "kept" / "squares").is_dir()
