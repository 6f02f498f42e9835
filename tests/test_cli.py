"""The command line: what it prints where, and with which exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import click
import duckdb
import pytest
from click.testing import CliRunner, Result

from nwol_sql import Campaign, __version__
from nwol_sql.cli import main
from nwol_sql.errors import QueryError
from tests.conftest import ROOT, VALLEY

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: object, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "valley.duckdb"
    Campaign.build(VALLEY, "grid", database=path).close()
    return path


def test_build_and_query(tmp_path: Path) -> None:
    path = tmp_path / "valley.duckdb"
    built = run("build", VALLEY, "--ruleset", "grid", "-d", path)
    assert (built.exit_code, built.stdout) == (0, "")
    assert built.stderr == (f"built {path} by ruleset grid: 15 squares, 4 cities, 3 turns\n")
    asked = run("query", "select square, owner from ownership where square = '1,0'", "-d", path)
    assert asked.exit_code == 0
    assert asked.stderr == ""
    assert asked.stdout == "square    owner\n--------  -------\n1,0       A\n"


def test_build_into_the_default_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("build", VALLEY, "--ruleset", "grid").exit_code == 0
    assert (tmp_path / "campaign.duckdb").exists()
    assert run("query", "from turns").exit_code == 0


def test_build_with_faults_prints_them_all_and_builds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "valley.duckdb"
    result = run("build", VALLEY, "--ruleset", "nwol", "-d", path)
    assert result.exit_code == 1
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert lines[-1] == f"nwol-sql: 3 errors in {VALLEY}, read by ruleset nwol; nothing was built"
    # NWOL's squares have letters.
    assert lines[0].startswith("error: sheet units, row 2, column square: '4,0': this is no square")
    assert not path.exists()


def test_rulings(tmp_path: Path) -> None:
    path = tmp_path / "valley.duckdb"
    options = ("--ruleset", "grid", "-d", path)
    set_two = ("--ruling", "metric=chebyshev", "--ruling", "owner_allies_deploy=true")
    assert run("build", VALLEY, *options, *set_two).exit_code == 0
    asked = run(
        "query", "select ruling, value from rulings where value <> ruleset_value",
        "-d", path, "--format", "csv",
    )  # fmt: skip
    assert asked.stdout == "ruling,value\nmetric,chebyshev\nowner_allies_deploy,true\n"
    wrong = run("build", VALLEY, *options, "--ruling", "metric=miles")
    assert wrong.exit_code == 1
    assert "ruling metric is one of euclidean, manhattan, chebyshev, not 'miles'" in wrong.stderr
    assert run("build", VALLEY, *options, "--ruling", "metric").exit_code == 2


def test_check(tmp_path: Path) -> None:
    good = run("check", VALLEY, "--ruleset", "grid")
    assert (good.exit_code, good.stdout, good.stderr) == (0, "", "0 errors, 0 warnings\n")
    for path in VALLEY.glob("*.csv"):
        (tmp_path / path.name).write_text(path.read_text("utf-8").replace("Ford,C", "Ford,D"))
    bad = run("check", tmp_path, "--ruleset", "grid", "--format", "csv")
    assert bad.exit_code == 1
    assert bad.stdout == (
        "severity,sheet,row,column,value,problem,nearest\n"
        "error,control,2,state,D,sheet states does not list this state,\n"
    )
    assert bad.stderr == "1 error, 0 warnings\n"


def test_formats(database: Path) -> None:
    query = (
        "select 'a|b' as code, 7 as number, null::varchar as nothing, true as truth, "
        "['x', 'y'] as list"
    )
    asked = {
        style: run("query", query, "-d", database, "--format", style).stdout
        for style in ("table", "csv", "json", "markdown")
    }
    assert asked["csv"] == 'code,number,nothing,truth,list\na|b,7,,true,"[x, y]"\n'
    assert json.loads(asked["json"]) == [
        {"code": "a|b", "number": 7, "nothing": None, "truth": True, "list": ["x", "y"]}
    ]
    assert asked["table"] == (
        "code      number  nothing    truth    list\n"
        "------  --------  ---------  -------  ------\n"
        "a|b            7             true     [x, y]\n"
    )
    assert asked["markdown"] == (
        "| code   |   number | nothing   | truth   | list   |\n"
        "|:-------|---------:|:----------|:--------|:-------|\n"
        "| a\\|b   |        7 |           | true    | [x, y] |\n"
    )


def test_codes_are_printed_as_they_are(database: Path) -> None:
    query = "select unnest(['007', '1E5', 'NA', 'null', '1_000', '']) as code"
    for style in ("table", "csv", "markdown"):
        lines = run("query", query, "-d", database, "--format", style).stdout.splitlines()
        printed = [line.strip("| ") for line in lines if "-" not in line]
        assert printed[:5] == ["code", "007", "1E5", "NA", "null"]


def test_query_reads_standard_input_and_runs_as_of_a_turn(database: Path) -> None:
    query = "select status from ownership where square = '2,0';\n"
    for turn, status in (
        (0, "shared"),
        (1, "shared"),
        (2, "unowned"),
        (3, "unowned"),
        (9, "unowned"),
    ):
        asked = run("query", "-", "-d", database, "--turn", turn, "--format", "csv", stdin=query)
        assert asked.stdout == f"status\n{status}\n"
    early = run("query", "-", "-d", database, "--turn", -1, stdin=query)
    assert early.exit_code == 1
    assert "turn -1 is before the campaign's first turn, 0" in early.stderr


def test_query_cannot_write(database: Path) -> None:
    before = database.read_bytes()
    for statement in ("delete from control", "create table t (i integer)", "drop view ownership"):
        result = run("query", statement, "-d", database)
        assert result.exit_code == 1
        assert "open for reading only" in result.stderr
    assert database.read_bytes() == before


@pytest.mark.parametrize(
    "statement",
    [
        "copy (select 1) to 'leak.csv'",
        "attach 'leak.duckdb' as leak",
        "use memory; detach campaign",
        "export database 'leak'",
        "set threads = 1",
        "insert into control values (9, 'Ford', 'A')",
        "copy (pivot control on state using count(*)) to 'leak.csv'",
        "create table memory.main.leak as pivot control on state using count(*)",
        "explain analyze copy (select 1) to 'leak.csv'",
        "EXPLAIN /* that */ (ANALYZE, FORMAT json) COPY (select 1) TO 'leak.csv'",
        "explain analyze copy (pivot control on state using count(*)) to 'leak.csv'",
        "explain analyze create table memory.main.leak as select 1",
        "explain analyse copy turns to 'leak.csv'",
        "from enable_profiling(format='json', save_location='leak.json')",
        "select 1 from \"enable_logging\" (storage='file', storage_path='leak')",
        "from json_execute_serialized_sql(json_serialize_sql('select 1'))",
    ],
)
def test_query_writes_nowhere(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    result = run("query", statement, "-d", database)
    assert result.exit_code == 1
    assert "a query only asks" in result.stderr
    assert list((tmp_path / "here").iterdir()) == []


@pytest.mark.parametrize(
    "body",
    [
        "copy turns to 'leak.csv'",
        "with few as (from turns limit 1) insert into control from control returning *",
        "delete from control returning *",
        # DuckDB takes this for a blank.
        "\u200bdelete from control returning *",
    ],
)
@pytest.mark.parametrize(
    "query",
    [
        "with w as ({}) from w",
        "explain analyze with w as MATERIALIZED({}) from w",
        "explain analyze (with w as ({}) from w)",
    ],
)
def test_queries_hide_nothing_that_writes(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str, body: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with Campaign.open(database, read_only=False) as campaign:
        before = campaign.connection.execute("from control order by all").fetchall()
        # Before 2.0, DuckDB does not take them as queries.
        refusal = "a query only asks" if duckdb.__version__ >= "2" else "Parser Error"
        with pytest.raises(QueryError, match=refusal):
            campaign.ask(query.format(body))
        assert campaign.connection.execute("from control order by all").fetchall() == before
    assert not (tmp_path / "leak.csv").exists()


def test_queries_of_every_asking_kind(database: Path) -> None:
    pivoted = "pivot control on state using count(*) group by turn"
    for query in (
        "describe ownership",
        "summarize holdings",
        "explain from turns",
        "explain (format json) (select 1)",
        f"{pivoted}; -- done",
        f"/* first */ with p as ({pivoted}) from p",
        f"from ({pivoted})",
        "unpivot (select 1 as a, 2 as b) on a, b",
        "select * replace (0 as turn) from (from turns) order by all",
        'select "copy" from (select turn as "copy" from turns) where ("copy") > 0',
        "values (1)",
        "; from turns ;",
        # DuckDB takes these for blanks, and words that could write for names.
        "\ufeffselect\u3000 1\u00a0",
        "explain (\u200bselect 1)",
        "with t (copy, update) as (values (1, 2)) select max(copy) from t",
        "from (values (1)) copy",
        "show all tables",
    ):
        result = run("query", query, "-d", database)
        assert (result.exit_code, result.stderr) == (0, ""), query
    # Before 2.0, DuckDB runs an explained PIVOT without telling anything.
    explained = run("query", f"explain {pivoted}", "-d", database)
    if duckdb.__version__ >= "2":
        assert explained.exit_code == 0
    else:
        assert "it explains no PIVOT" in explained.stderr
    for turn in ([], ["--turn", 1]):
        result = run("query", pivoted, "-d", database, *turn, "--format", "csv")
        assert result.stdout.startswith("turn,")
    for query, message in (
        ("from turns; from turns", "one query at a time"),
        (" ; ", "the query is empty"),
        ("/* nothing */", "the query is empty"),
        ("select cast('x' as integer)", "Could not convert"),
        ("from query", "Table with name query does not exist"),
    ):
        result = run("query", query, "-d", database)
        assert result.exit_code == 1
        assert message in result.stderr
    with Campaign.open(database) as campaign, pytest.raises(QueryError, match="half a character"):
        campaign.ask("select '\ud800'")
    doubled = run("query", "select 1 as a, 2 as a", "-d", database, "--format", "json")
    assert "JSON cannot hold two columns" in doubled.stderr
    infinite = run("query", "select 'nan'::double as n", "-d", database, "--format", "json")
    assert json.loads(infinite.stdout) == [{"n": None}]


def test_output_is_utf8_wherever_it_goes(database: Path) -> None:
    command = [sys.executable, "-m", "nwol_sql", "query", "select 'Ü–日' as t", "-d", str(database)]
    for encoding in ("cp1252", "ascii"):
        done = subprocess.run(
            command, capture_output=True, check=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding},
        )  # fmt: skip
        assert "Ü–日" in done.stdout.decode("utf-8")


def test_many_faults_of_one_kind_are_cut_short(tmp_path: Path) -> None:
    result = run(
        "build", ROOT / "seeds" / "amwol", "--ruleset", "grid", "-d", tmp_path / "a.duckdb"
    )
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) < 30
    assert "more such errors; nwol-sql check lists all" in result.stderr


def test_arguments_are_utf_8(database: Path) -> None:
    for arguments in (["query", "select '\udcff'"], ["map", "-o", "x.svg", "--title", "\udcff"]):
        asked = run(*arguments, "-d", database)
        assert asked.exit_code == 2
        assert "\\udcff" in asked.stderr
        assert "is not written in UTF-8" in asked.stderr


def test_query_errors_are_messages(database: Path) -> None:
    result = run("query", "select ownr from ownership", "-d", database)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "owner" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_missing_or_wrong_database(tmp_path: Path) -> None:
    missing = run("query", "select 1", "-d", tmp_path / "none.duckdb")
    assert missing.exit_code == 1
    assert "there is no database" in missing.stderr
    assert not (tmp_path / "none.duckdb").exists()
    (tmp_path / "notes.txt").write_text("notes " * 1000)
    notes = run("explain", "1,0", "-d", tmp_path / "notes.txt")
    assert notes.exit_code == 1
    assert "is not a DuckDB database file" in notes.stderr
    folder = run("explain", "1,0", "-d", tmp_path)
    assert folder.exit_code == 1
    assert "is a folder" in folder.stderr


def test_explain(database: Path) -> None:
    # Worked out by hand: at 2,1 Oak, Ford and Mill are equally near, squared 1 + 1, and Tor 4 + 1.
    result = run("explain", "2,1", "-d", database, "--turn", 1)
    assert result.exit_code == 0
    assert result.stdout == (
        "2,1 (x=2, y=1) in V, turn 0: shared, rule 3b\n"
        "Three or more cities of the nation are equally near, and every national side that holds one "
        "is allied with all the other sides that hold one: nobody owns the square, and the national "
        "sides may deploy there, as may every state allied with all of them.\n"
        "\n"
        "Nearest cities of the nation\n"
        "  Ford: distance 1.41 (squared 2), held by B (national) since turn 0\n"
        "  Mill: distance 1.41 (squared 2), held by A (national) since turn 0\n"
        "  Oak: distance 1.41 (squared 2), held by A (national) since turn 0\n"
        "  next: Tor, distance 2.24 (squared 5), 0.82 farther\n"
        "\n"
        "Alliances looked at\n"
        "  A and B: allied\n"
        "\n"
        "May deploy in peacetime\n"
        "  A: national side that shares the square\n"
        "  B: national side that shares the square\n"
        "  W: allied with A, B\n"
        "\n"
        "Rulings of this campaign (ruleset grid)\n"
        "  metric = euclidean\n"
        "  foreign_pair_owns = true\n"
        "  foreign_group_owns = true\n"
        "  group_allies = all_sides\n"
        "  national_scope = nation\n"
        "  owner_allies_deploy = false\n"
    )


def test_explain_other_verdicts(database: Path) -> None:
    lake = run("explain", "4,1", "-d", database).stdout
    assert lake.startswith("4,1 (x=4, y=1) in no nation, turn 3: outside\n")
    assert "\nMay deploy in peacetime\n  nobody\n" in lake
    march = run("explain", " 4, 0", "-d", database).stdout
    assert march.startswith("4,0 (x=4, y=0) in W, turn 3: owned by W, rule 0\n")
    assert "Nearest cities" not in march
    neutral = run("explain", "4,2", "-d", database, "--format", "json")
    explained = json.loads(neutral.stdout)
    assert (explained["status"], explained["rule"]) == ("neutral", "1b")
    assert explained["cities"] == [
        {"city": "Tor", "squared_distance": 0, "holder": "W", "since": 0, "is_national": False}
    ]
    wrong = run("explain", "9,9", "-d", database)
    assert wrong.exit_code == 1
    assert "there is no square '9,9' in this campaign; nearest: " in wrong.stderr


def test_render(tmp_path: Path) -> None:
    whole = run("render", "--ruleset", "grid")
    assert whole.exit_code == 0
    import duckdb

    with duckdb.connect() as con:
        con.execute(whole.stdout)
        views = con.execute("select count(*) from duckdb_views() where not internal").fetchall()
        assert con.execute("from ownership").fetchall() == []
    assert views[0][0] > 20
    one = run("render", "nearest_cities", "--ruling", "metric=chebyshev").stdout
    assert one.startswith("-- Which city of its own nation is nearest to each square?\n")
    assert "greatest(abs(" in one
    for name in ("nearest_citys", "unknown_states", "typed_squares"):
        wrong = run("render", name)
        assert wrong.exit_code == 1
        assert f"there is no relation '{name}'" in wrong.stderr
    assert run("render", "--dialect", "cobol").exit_code == 2


def test_demo(tmp_path: Path) -> None:
    result = run("demo", tmp_path / "demo")
    assert result.exit_code == 0
    # Counted by hand in the seeds' SOURCES: squares of Germany with one, two, three, four cities.
    for line in (
        "GER                   1        445",
        "GER                   2         73",
        "GER                   3         13",
        "GER                   4          2",
    ):
        assert line in result.stdout
    assert "G7-V8 (x=67, y=38) in ITA, turn 12: owned by CIS, rule 1a" in result.stdout
    assert {path.name for path in (tmp_path / "demo").iterdir()} == {
        "nwol.duckdb",
        "ownership.csv",
        "ownership.parquet",
        "map.html",
    }
    again = run("demo", tmp_path / "demo")
    assert again.exit_code == 1
    assert "is there already; overwrite it with --force" in again.stderr
    assert run("demo", tmp_path / "demo", "--force", "--campaign", "amwol").exit_code == 0
    (tmp_path / "file").write_text("")
    assert "cannot be made" in run("demo", tmp_path / "file").stderr


def test_version_and_help() -> None:
    assert run("--version").stdout == f"nwol-sql, version {__version__}\n"
    assert run("-h").exit_code == 0
    assert run("nonsense").exit_code == 2


@pytest.mark.parametrize("name", sorted(main.commands))
def test_every_command_has_help_and_stands_in_the_readme(name: str) -> None:
    command = main.commands[name]
    assert command.help
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, (name, parameter.name)
    assert run(name, "--help").exit_code == 0
    assert f"`nwol-sql {name}" in (ROOT / "README.md").read_text("utf-8")


def test_as_a_process(database: Path) -> None:
    """Standard streams and exit status as a shell sees them, and nothing imported in vain."""
    script = (
        "import sys; from nwol_sql.cli import main\n"
        "try: main()\n"
        "finally: print(*sorted({'jinja2', 'pandas', 'tabulate', 'pytest'} & set(sys.modules)),"
        " file=sys.stderr)"
    )
    process = subprocess.run(
        [
            sys.executable,
            "-c",
            script,
            "query",
            "from turns order by turn",
            "-d",
            database,
            "--format",
            "csv",
        ],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert (process.returncode, process.stdout) == (0, "turn\n0\n2\n3\n")
    assert process.stderr == "\n"
