"""Exports: golden files byte for byte, the same bytes every time, nothing overwritten in silence."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest
from click.testing import CliRunner
from openpyxl import load_workbook

from nwol_sql import Campaign
from nwol_sql.cli import main
from nwol_sql.errors import FileError, QueryError
from nwol_sql.export import export_query
from nwol_sql.schema import relations
from tests.conftest import SEEDS
from tests.judge import read_world

if TYPE_CHECKING:
    from collections.abc import Callable

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.*")), ids=lambda path: path.name)
def test_golden_file(valley: Campaign, tmp_path: Path, path: Path) -> None:
    valley.export(path.stem, tmp_path / path.name)
    assert (tmp_path / path.name).read_bytes() == path.read_bytes()


def test_the_golden_files_are_there() -> None:
    assert {path.suffix for path in GOLDEN.glob("*.*")} == {".csv", ".tsv", ".json"}


def test_parquet_holds_the_relation(valley: Campaign, tmp_path: Path) -> None:
    valley.export("tie_groups", tmp_path / "groups.parquet")
    rows = duckdb.sql(f"from '{tmp_path / 'groups.parquet'}'")
    assert rows.columns == list(relations()["tie_groups"].columns)
    assert rows.fetchall() == valley.sql("from tie_groups order by tie_group").fetchall()


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".json", ".parquet"])
def test_the_same_bytes_whatever_the_order_of_rows_and_the_threads(
    tmp_path: Path, ending: str
) -> None:
    sheets = read_world(SEEDS / "nwol", {}).sheets()
    written = []
    for seed, threads in ((1, 1), (2, 2), (3, 4)):
        mixed = {name: random.Random(seed).sample(rows, len(rows)) for name, rows in sheets.items()}
        with Campaign.build(mixed, "grid") as campaign:
            campaign.connection.execute(f"set threads = {threads}")
            for relation in ("ownership_by_turn", "control"):
                path = tmp_path / f"{relation}{seed}{ending}"
                campaign.export(relation, path)
                written.append(path.read_bytes())
    assert len(set(written)) == 2


def test_every_relation_can_be_exported(valley: Campaign, tmp_path: Path) -> None:
    for name in relations():
        valley.export(name, tmp_path / f"{name}.csv")
        header = (tmp_path / f"{name}.csv").read_text("utf-8").splitlines()[0]
        assert header == ",".join(relations()[name].columns)


def test_a_file_that_is_there_is_kept_unless_forced(valley: Campaign, tmp_path: Path) -> None:
    path = tmp_path / "turns.csv"
    path.write_text("mine")
    with pytest.raises(FileError, match="is there already; overwrite it with --force"):
        valley.export("turns", path)
    assert path.read_text() == "mine"
    valley.export("turns", path, force=True)
    assert path.read_text() == "turn\n0\n2\n3\n"


WRONG: list[tuple[Callable[[Campaign, Path], None], type[Exception], str]] = [
    (lambda c, p: c.export("turns", p / "turns.xls"), FileError, "ends in none of .csv, .tsv"),
    (lambda c, p: c.export("turns", p / "none" / "t.csv"), FileError, "there is no folder"),
    (lambda c, p: c.export("turns", p, force=True), FileError, "ends in none of"),
    (lambda c, p: c.export("turn", p / "t.csv"), QueryError, "did you mean 'turns'"),
    (lambda c, p: export_query(c, "select x", p / "t.csv"), QueryError, "x"),
    (lambda c, p: export_query(c, "drop table turns", p / "t.csv"), QueryError, "only asks"),
    (
        lambda c, p: export_query(c, "explain from turns", p / "t.csv"),
        QueryError,
        "EXPLAIN gives no",
    ),
    (lambda c, p: export_query(c, "selec 1", p / "t.csv"), QueryError, "syntax error"),
    (
        lambda c, p: export_query(c, "select 1; select 2", p / "t.csv"),
        QueryError,
        "one query at a time",
    ),
    (lambda c, p: export_query(c, "select error('no')", p / "t.csv"), QueryError, "no"),
]


@pytest.mark.parametrize(("ask", "error", "message"), WRONG)
def test_a_failed_export_leaves_nothing(
    valley: Campaign,
    tmp_path: Path,
    ask: Callable[[Campaign, Path], None],
    error: type[Exception],
    message: str,
) -> None:
    with pytest.raises(error, match=message):
        ask(valley, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("select turn from turns order by turn desc;", "turn\n3\n2\n0\n"),
        ("from turns order by turn desc -- the latest first\n;", "turn\n3\n2\n0\n"),
        # An order inside parentheses around the whole query is its own, too.
        ("((select turn from turns order by turn desc) limit 2)", "turn\n3\n2\n"),
        (
            "select turn from (from turns order by turn desc) /* by turn */ -- and so",
            "turn\n0\n2\n3\n",
        ),
        ("(select 3 as n order by n) union all (select 1)", "n\n1\n3\n"),
        (
            "select * from (values (2, 'b'), (1, 'z'), (1, 'a')) as t (n, s) -- no order",
            "n,s\n1,a\n1,z\n2,b\n",
        ),
    ],
)
def test_a_query_keeps_its_own_order_or_gets_one(
    valley: Campaign, tmp_path: Path, query: str, text: str
) -> None:
    for ending, delimiter in ((".csv", ","), (".tsv", "\t")):
        export_query(valley, query, tmp_path / f"rows{ending}")
        assert (tmp_path / f"rows{ending}").read_text() == text.replace(",", delimiter)


def test_columns_of_one_name_are_told_apart(valley: Campaign, tmp_path: Path) -> None:
    query = "select 'x' as a, '=y' as A order by 1"
    export_query(valley, query, tmp_path / "plain.csv")
    assert (tmp_path / "plain.csv").read_text() == "a,A_1\nx,=y\n"
    export_query(valley, query, tmp_path / "excel.csv", excel=True)
    assert (tmp_path / "excel.csv").read_text("utf-8-sig") == "a,A_1\nx,'=y\n"
    export_query(valley, query, tmp_path / "rows.json")
    assert json.loads((tmp_path / "rows.json").read_text()) == [{"a": "x", "A_1": "=y"}]
    export_query(valley, query, tmp_path / "rows.xlsx")
    assert [*load_workbook(tmp_path / "rows.xlsx").worksheets[0].values] == [
        ("a", "A_1"),
        ("x", "=y"),
    ]


def test_no_heading_or_value_is_a_formula_in_excel(valley: Campaign, tmp_path: Path) -> None:
    query = """select '=2+3' as "=1+1", '=x'::enum ('=x') as "@e", -1 as n, -1.5 as "n2", null as "-" """
    export_query(valley, query, tmp_path / "e.csv", excel=True)
    assert (tmp_path / "e.csv").read_text("utf-8-sig") == (
        "'=1+1,'@e,n,n2,'-\n'=2+3,'=x,-1,-1.5,\n"
    )


def test_what_is_no_number_is_text_in_a_workbook(valley: Campaign, tmp_path: Path) -> None:
    query = "select 'inf'::double as up, 'nan'::double as none, 1.5::double as n"
    export_query(valley, query, tmp_path / "n.xlsx")
    rows = [*load_workbook(tmp_path / "n.xlsx").worksheets[0].values]
    assert rows == [("up", "none", "n"), ("inf", "nan", 1.5)]


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".json", ".xlsx"])
def test_pivots_and_summaries_are_exported(valley: Campaign, tmp_path: Path, ending: str) -> None:
    turns = "pivot (from turns union all values (3)) on turn using count(*)"
    for number, campaign in enumerate((valley, valley.as_of(2))):
        for query in (
            turns,
            f"{turns}; -- done",
            "describe turns",
            "summarize turns",
            "show tables",
        ):
            export_query(campaign, query, tmp_path / f"t{number}{ending}", force=True)
        export_query(campaign, turns, tmp_path / f"t{number}{ending}", force=True)
    if ending == ".csv":
        assert (tmp_path / "t0.csv").read_text() == "0,2,3\n1,1,2\n"
        assert (tmp_path / "t1.csv").read_text() == "0,2,3\n1,1,1\n"
        export_query(valley, turns, tmp_path / "e.csv", excel=True)
        assert (tmp_path / "e.csv").read_text("utf-8-sig") == "0,2,3\n1,1,2\n"


def test_export_command(tmp_path: Path) -> None:
    from tests.conftest import VALLEY

    database = tmp_path / "valley.duckdb"
    Campaign.build(VALLEY, "grid", database=database).close()

    def run(*arguments: object) -> int:
        return (
            CliRunner()
            .invoke(main, ["export", *map(str, arguments), "-d", str(database)])
            .exit_code
        )

    output = tmp_path / "out.csv"
    assert run("ownership", "-o", output, "--turn", 0) == 0
    assert '"2,0",2,0,V,hill,shared,,2c,2,Ford; Oak,A; B,1,1.0' in output.read_text("utf-8")
    assert run("ownership", "-o", output) == 1
    assert run("ownership", "-o", output, "--force") == 0
    assert '"2,0",2,0,V,hill,unowned,,2d,2,Ford; Oak,A; C,1,1.0' in output.read_text("utf-8")
    assert run("--sql", "from turns", "-o", tmp_path / "turns.csv") == 0
    assert run("-o", tmp_path / "x.csv") == 2
    assert run("turns", "--sql", "from turns", "-o", tmp_path / "x.csv") == 2
    assert run("turns") == 2
