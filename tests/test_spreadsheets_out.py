"""Workbooks and Excel's CSV as they are written: read back with another library than wrote them."""

from __future__ import annotations

import csv
import io
import sys
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest
from click.testing import CliRunner

from nwol_sql import Campaign
from nwol_sql.check import find_faults
from nwol_sql.cli import main
from nwol_sql.errors import FileError
from nwol_sql.export import export_query, export_relation, export_results
from nwol_sql.schema import relations, sheet_specs
from nwol_sql.xlsx import SHEETS
from tests.conftest import SEEDS, VALLEY

if TYPE_CHECKING:
    from pathlib import Path

HISTORY = "select * from ownership_by_turn order by turn, square"


def rounded(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Spreadsheets keep 15 digits."""
    return [tuple(round(v, 12) if isinstance(v, float) else v for v in row) for row in rows]


def rows_of(sheet: Any) -> list[tuple[Any, ...]]:
    return rounded([tuple(row) for row in sheet.iter_rows(values_only=True)])


def test_a_relation_as_a_table(valley: Campaign, tmp_path: Path) -> None:
    path = tmp_path / "ownership.xlsx"
    valley.export("ownership", path)
    sheet = openpyxl.load_workbook(path)["ownership"]
    heading, *rows = rows_of(sheet)
    assert list(heading) == list(relations()["ownership"].columns)
    assert rows == rounded(valley.sql("from ownership order by square").fetchall())
    (table,) = sheet.tables.values()
    assert table.ref == "A1:M16"
    assert table.autoFilter is not None
    assert sheet.freeze_panes == "A2"
    formats = {cell.value: sheet.cell(2, cell.column).number_format for cell in sheet[1]}
    assert (formats["square"], formats["x"], formats["distance"]) == ("@", "0", "0.00")


TEXTS = [
    "=1+1",
    "@x",
    "-2+3",
    "+1",
    "0012",
    "1E5",
    "TRUE",
    "#N/A",
    "http://x.example",
    "a;b",
    "Ü",
    " x",
]


def test_text_stays_text(valley: Campaign, tmp_path: Path) -> None:
    path = tmp_path / "texts.xlsx"
    valley.connection.execute("create table texts as select unnest($1) as text", [TEXTS])
    valley.export("texts", path)
    sheet = openpyxl.load_workbook(path)["texts"]
    cells = [row[0] for row in sheet.iter_rows(min_row=2)]
    assert sorted(cell.value for cell in cells) == sorted(TEXTS)
    assert {cell.data_type for cell in cells} == {"s"}
    assert {cell.hyperlink for cell in cells} == {None}


def test_two_exports_are_the_same_bytes(valley: Campaign, tmp_path: Path) -> None:
    for name in ("a", "b"):
        export_results(valley, tmp_path / f"{name}.xlsx")
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("select range as n from range(1048576)", "has 1,048,576 rows"),
        ("select repeat('x', 32768) as long", "a text of more than 32,767 characters"),
    ],
)
def test_what_a_sheet_cannot_hold_is_refused(
    valley: Campaign, tmp_path: Path, query: str, message: str
) -> None:
    with pytest.raises(FileError, match=message):
        export_query(valley, query, tmp_path / "large.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_results(valley: Campaign, tmp_path: Path) -> None:
    path = tmp_path / "results.xlsx"
    export_results(valley, path)
    book = openpyxl.load_workbook(path)
    assert book.sheetnames[:6] == [
        "Ownership",
        "Map",
        "Holdings",
        "Deployment",
        "Changes",
        "Rulings",
    ]
    ownership = rows_of(book["Ownership"])[1:]
    assert sorted(ownership) == rounded(valley.sql("from ownership order by square").fetchall())
    assert rows_of(book["Changes"])[1:] == [
        (3, "3,0", "owned", "owned", "B", "C", "1a", "1a"),
        (3, "3,1", "owned", "owned", "B", "C", "1a", "1a"),
    ]
    assert [row[:2] for row in rows_of(book["Rulings"])[1:]] == valley.sql(
        "select ruling, value from rulings"
    ).fetchall()
    assert [row[0] for row in rows_of(book["Holdings"])[1:]] == ["A", "C", "W", "B"]
    deployment = {(row[2], row[0], row[1]) for row in rows_of(book["Deployment"])[1:]}
    assert deployment == set(valley.sql("from deployment").fetchall())


def test_the_map_shows_what_the_views_say(bundled: tuple[str, Campaign], tmp_path: Path) -> None:
    _, campaign = bundled
    path = tmp_path / "results.xlsx"
    export_results(campaign, path)
    sheet = openpyxl.load_workbook(path)["Map"]
    letters = {"shared": "s", "neutral": "n", "unowned": "u", "outside": None}
    cities = dict(campaign.sql("select square, city from cities").fetchall())
    colors: dict[str, str] = {}
    shades: dict[str, set[str]] = {}
    for square, x, y, status, owner, rule in campaign.sql(
        "select square, x, y, status, owner, rule from ownership"
    ).fetchall():
        cell = sheet.cell(y + 2, x + 2)
        assert (cell.value or None) == (owner or letters[status]), square
        assert f"{sheet.cell(1, x + 2).value}-{sheet.cell(y + 2, 1).value}" == square
        shades.setdefault(owner or status, set()).add(cell.fill.fgColor.rgb)
        colors.setdefault(owner or status, cell.fill.fgColor.rgb)
        assert bool(cell.font.b) == (square in cities)
        if square in cities:
            assert cities[square] in cell.comment.text
            assert f"rule {rule}" in cell.comment.text
    # One look for each owner and status, and no two alike.
    assert {len(looks) for looks in shades.values()} == {1}
    assert len(set(colors.values())) == len(colors)
    patterns = {
        status: next(
            sheet.cell(y + 2, x + 2).fill.patternType
            for x, y in campaign.sql(
                "select x, y from ownership where status = $1 limit 1", [status]
            ).fetchall()
        )
        for status in ("shared", "neutral", "unowned", "owned")
    }
    assert len(set(patterns.values())) == 4


def test_the_map_takes_the_states_colours(valley: Campaign, tmp_path: Path) -> None:
    export_results(valley, tmp_path / "results.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "results.xlsx")["Map"]
    assert sheet["B2"].fill.fgColor.rgb == "FF336699"  # 0,0 is A's
    assert sheet["F2"].fill.fgColor.rgb == "FF339933"  # 4,0 is W's


@pytest.mark.parametrize("name", ["nwol", "amwol"])
def test_results_can_be_built_from_again(tmp_path: Path, name: str) -> None:
    with Campaign.build(SEEDS / name, name) as campaign:
        export_results(campaign, tmp_path / "results.xlsx")
        verdicts = campaign.sql(HISTORY).fetchall()
        units = campaign.sql("from unit_positions order by unit").fetchall()
    with Campaign.build(tmp_path / "results.xlsx", name) as again:
        assert again.warnings == []  # the results are known, and left alone
        assert again.sql(HISTORY).fetchall() == verdicts
        assert again.sql("from unit_positions order by unit").fetchall() == units


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet"])
def test_exported_tables_can_be_built_from_again(
    valley: Campaign, tmp_path: Path, ending: str
) -> None:
    for name in SHEETS:
        valley.export(name, tmp_path / f"{name}{ending}")
    with Campaign.build(tmp_path, "grid") as again:
        assert again.warnings == []
        assert again.sql(HISTORY).fetchall() == valley.sql(HISTORY).fetchall()


def test_csv_for_excel(valley: Campaign, tmp_path: Path) -> None:
    valley.connection.execute(
        "create table texts as select unnest($1) as text, -1 as number", [TEXTS]
    )
    export_relation(valley, "texts", tmp_path / "texts.csv", excel=True, delimiter=";")
    data = (tmp_path / "texts.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbftext;number\n")
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig")), delimiter=";"))[1:]
    neutral = {f"'{text}" if text[0] in "=@-+" else text for text in TEXTS}
    assert {row[0] for row in rows} == neutral
    assert {row[1] for row in rows} == {"-1"}
    assert [path.name for path in tmp_path.iterdir()] == ["texts.csv"]
    export_relation(valley, "texts", tmp_path / "plain.csv")
    plain = list(csv.reader(io.StringIO((tmp_path / "plain.csv").read_text("utf-8"))))[1:]
    assert {row[0] for row in plain} == set(TEXTS)


def test_options_that_do_not_fit(tmp_path: Path) -> None:
    database = tmp_path / "valley.duckdb"
    Campaign.build(VALLEY, "grid", database=database).close()

    def run(*arguments: object) -> tuple[int, str]:
        result = CliRunner().invoke(main, ["export", *map(str, arguments), "-d", str(database)])
        return result.exit_code, result.stderr

    assert run("--workbook", "-o", tmp_path / "r.xlsx")[0] == 0
    assert run("--workbook", "-o", tmp_path / "r.csv") == (
        1, f"nwol-sql: {tmp_path / 'r.csv'} does not end in .xlsx: results are written to a workbook\n",
    )  # fmt: skip
    assert run("--workbook", "turns", "-o", tmp_path / "s.xlsx")[0] == 2
    assert run("--workbook", "--excel", "-o", tmp_path / "s.xlsx")[0] == 2
    assert "is no .csv file" in run("turns", "--excel", "-o", tmp_path / "t.tsv")[1]
    assert run("turns", "--delimiter", "ab", "-o", tmp_path / "t.csv")[0] == 2
    assert run("turns", "--delimiter", "tab", "-o", tmp_path / "t.csv")[0] == 0


def test_without_the_extra(
    valley: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(FileError, match=r"pip install 'nwol-sql\[excel\]'"):
        valley.export("turns", tmp_path / "turns.xlsx")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ruleset", ["nwol", "amwol", "grid"])
@pytest.mark.parametrize("kind", ["workbook", "folder"])
def test_new_can_be_built_and_is_marked_as_an_example(
    tmp_path: Path, ruleset: str, kind: str
) -> None:
    target = tmp_path / ("new.xlsx" if kind == "workbook" else "new")
    result = CliRunner().invoke(main, ["new", str(target), "--ruleset", ruleset])
    assert (result.exit_code, result.stdout) == (0, "")
    found = find_faults(target, ruleset)
    assert {(fault.severity, fault.value) for fault in found} == {
        ("warning", "XX"),
        ("warning", "XA"),
        ("warning", "XB"),
    }
    with Campaign.build(target, ruleset) as campaign:
        assert campaign.sql("select distinct name from states").fetchall() == [
            ("example: replace this row",)
        ]
        squares = campaign.sql("select count(*), count(nation) from squares").fetchall()
        assert squares == [({"nwol": 9600, "amwol": 15400, "grid": 600}[ruleset], 8)]
        # The example: two towns side by side, in two allied states' hands until XA takes both.
        at_0 = campaign.as_of(0).sql(
            "select rule, count(*) from ownership where nation = 'XX' group by rule"
        )
        assert at_0.fetchall() == [("1a", 8)]
        assert campaign.sql(
            "select distinct owner from ownership where owner is not null"
        ).fetchall() == [("XA",)]
        assert campaign.sql("from alliances").fetchall() == [(0, "XA", "XB", True)]
    again = CliRunner().invoke(main, ["new", str(target), "--ruleset", ruleset])
    assert again.exit_code == 1
    assert "is there already" in again.stderr


def test_new_workbooks_help_to_fill_in(tmp_path: Path) -> None:
    path = tmp_path / "new.xlsx"
    assert CliRunner().invoke(main, ["new", str(path)]).exit_code == 0
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == [*sheet_specs(), "Read me"]
    for name in sheet_specs():
        assert book[name].freeze_panes in ("A2", "B2")
    for name in ("nations", "states", "cities", "control", "units"):
        for cell in book[name][1]:
            assert cell.comment.text == sheet_specs()[name].notes[cell.value]
            assert book[name].cell(2, cell.column).font.i  # the example stands out
    lists = {
        (name, str(validation.sqref)): validation.formula1
        for name in sheet_specs()
        for validation in book[name].data_validations.dataValidation
    }
    assert lists["control", "A2:A2001"] == "cities!$A$2:$A$2000"
    assert lists["control", "B2:B2001"] == "states!$A$2:$A$2000"
    assert lists["squares", "B2:DQ81"] == "nations!$A$2:$A$200"
    assert lists["nations", "C2:C2001"] == '"major,minor,unitary,fragmented"'
    # Codes typed later stay text.
    assert book["states"].column_dimensions["A"].width == pytest.approx(22, abs=1)


def test_new_refuses_other_endings_and_unwritable_folders(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for target, message in (
        ("new.ods", "name a workbook (.xlsx) or a folder"),
        ("file/new", "cannot be made"),
    ):
        result = CliRunner().invoke(main, ["new", str(tmp_path / target)])
        assert result.exit_code == 1
        assert message in result.stderr
