"""The shape of sheets: what is read right, and what is refused with which words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nwol_sql import Campaign, SheetError
from nwol_sql.check import find_faults
from nwol_sql.errors import SourceError
from tests.conftest import VALLEY
from tests.test_checks import Sheets, sheets, write

if TYPE_CHECKING:
    from pathlib import Path

VERDICTS = "select square, status, owner, rule, sides from ownership order by square"


def verdicts(source: object, **options: Any) -> list[tuple[object, ...]]:
    with Campaign.build(source, "grid", **options) as campaign:
        return campaign.sql(VERDICTS).fetchall()


@pytest.fixture(scope="module")
def plain() -> list[tuple[object, ...]]:
    return verdicts(VALLEY)


def quoted(text: str) -> str:
    lines = [line.split(",") for line in text.splitlines()]
    return "".join(",".join(f'"{value}"' for value in line) + "\n" for line in lines)


SAME = {
    "a byte-order mark": lambda text: "\ufeff" + text,
    "CRLF line ends": lambda text: text.replace("\n", "\r\n"),
    "CR line ends": lambda text: text.replace("\n", "\r"),
    "no line end at the end": lambda text: text.rstrip("\n"),
    "quotes around every value": quoted,
    "semicolons": lambda text: text.replace(",", ";"),
    "tabs": lambda text: text.replace(",", "\t"),
    "blank rows": lambda text: "\n\n" + text.replace("\n", "\n\n,,\n"),
    "spaces around values": lambda text: text.replace(",", " , \u00a0"),
    "headings in capitals": lambda text: (
        text[: text.index("\n")].replace("_", " ").upper() + text[text.index("\n") :]
    ),
    "empty columns at the end": lambda text: text.replace("\n", ",,\n"),
}


@pytest.mark.parametrize("change", SAME)
def test_is_read_right(tmp_path: Path, plain: list[tuple[object, ...]], change: str) -> None:
    content = {name: text for name, text in sheets().items() if name != "units"}
    write(tmp_path, {name: SAME[change](text) for name, text in content.items()})
    assert verdicts(tmp_path) == plain


def test_tsv_sheets_and_names_in_other_case(
    tmp_path: Path, plain: list[tuple[object, ...]]
) -> None:
    for name, text in sheets().items():
        if name != "units":
            (tmp_path / f" {name.title()} .TSV").write_text(text.replace(",", "\t"), "utf-8")
    assert verdicts(tmp_path) == plain


def test_columns_in_another_order(tmp_path: Path, plain: list[tuple[object, ...]]) -> None:
    content = sheets()
    rows = [line.split(",") for line in content["squares"].splitlines()]
    content["squares"] = "".join(",".join(reversed(row)) + "\n" for row in rows)
    assert verdicts(write(tmp_path, content)) == plain


def test_rows_are_numbered_past_blank_rows_and_quoted_line_breaks(tmp_path: Path) -> None:
    content = sheets()
    content["states"] = 'state,nation,name\n\nA,V,"Abbey\nof the\nValley"\n\nB,VV,\nC,V,\nW,W,\n'
    (fault,) = find_faults(write(tmp_path, content), "grid")
    assert (fault.row, fault.value) == (5, "VV")
    content["states"] = content["states"].replace("VV", "V")
    with Campaign.build(write(tmp_path, content), "grid") as campaign:
        assert campaign.sql("select name from states where state = 'A'").fetchall() == [
            ("Abbey\nof the\nValley",)
        ]


CODES = ["NA", "NO", "TRUE", "1E5", "007", "null", "NaN", "-", "=1+1", "1.0", "Ü;ß", "a,b", 'q"q']


def test_codes_stay_as_typed(tmp_path: Path) -> None:
    lines = ["state,nation"]
    lines += ['"' + code.replace('"', '""') + '",NO' for code in CODES]
    cities = ["city,x,y,state"]
    cities += [
        f'"{code.replace(chr(34), chr(34) * 2)}",{x},0,"{code.replace(chr(34), chr(34) * 2)}"'
        for x, code in enumerate(CODES)
    ]
    content = {
        "nations": "nation,name,kind\nNO,NA,fragmented\n",
        "states": "\n".join(lines) + "\n",
        "squares": "x,y,nation,terrain\n" + "".join(f"{x},0,NO,NA\n" for x in range(len(CODES))),
        "cities": "\n".join(cities) + "\n",
    }
    with Campaign.build(write(tmp_path, content), "grid") as campaign:
        states = campaign.sql("select state from states").fetchall()
        assert {state for (state,) in states} == set(CODES)
        owners = campaign.sql("select owner, cities, terrain from ownership order by x").fetchall()
        assert owners == [(code, code, "NA") for code in CODES]
        assert campaign.sql("select name from nations").fetchall() == [("NA",)]


SHAPES: list[tuple[str, str | bytes, int | None, str]] = [
    ("squares", "x,y,nation\n1,0\n", 2, "the row has only 2 of the 3 values that the headings"),
    ("squares", "x,y,nation\n1,0,V,hill\n", 2, "the row has 4 values, but there are 3 headings"),
    ("squares", "x,nation\n1,V\n", 1, "the headings lack square, or x and y"),
    ("states", "state\nA\n", 1, "the headings lack nation"),
    ("states", "state,State ,nation\nA,A,V\n", 1, "the heading state is there twice"),
    ("states", "state,nation\n", None, "the sheet has no rows"),
    ("squares", "", None, "squares.csv is empty: its first row must hold the headings"),
    ("squares", "\n , \n\n", None, "squares.csv is empty"),
    ("cities", b"city,x,y,state\nK\xf6ln,1,0,A\n", None, "not UTF-8: byte 0xF6 in line 2"),
    ("cities", "city,x,y,state\nOak,1,0,A\n".encode("utf-16-be"), None, "NUL character in line 1"),
    ("cities", b"city,x,y,state\nO\0ak,1,0,A\n", None, "there is a NUL character in line 2"),
    ("cities", 'city,x,y,state\n"Oak,1,0,A\n', None, "quotation mark left open"),
    ("cities", 'city,x,y,state\n"Oak"s,1,0,A\n', None, "cannot be read as CSV after row 1"),
]


@pytest.mark.parametrize(("name", "content", "row", "problem"), SHAPES)
def test_is_refused(
    tmp_path: Path, name: str, content: str | bytes, row: int | None, problem: str
) -> None:
    write(tmp_path, sheets())
    data = content.encode() if isinstance(content, str) else content
    (tmp_path / f"{name}.csv").write_bytes(data)
    faults = [fault for fault in find_faults(tmp_path, "grid") if fault.sheet == name]
    assert [(fault.severity, fault.row) for fault in faults] == [("error", row)]
    assert problem in faults[0].problem
    with pytest.raises(SheetError):
        Campaign.build(tmp_path, "grid")


@pytest.mark.parametrize("name", ["nations", "states", "squares", "cities"])
def test_a_required_sheet_is_missing(tmp_path: Path, name: str) -> None:
    content = {key: text for key, text in sheets().items() if key != name}
    faults = find_faults(write(tmp_path, content), "grid")
    assert [(fault.sheet, fault.problem) for fault in faults] == [(name, "the sheet is missing")]


def test_control_is_missing_and_so_are_holders_in_cities(tmp_path: Path) -> None:
    content = sheets()
    del content["control"]
    write(tmp_path, content)
    assert find_faults(tmp_path, "grid") == []
    content["cities"] = "city,x,y\nOak,1,0\nFord,3,0\nMill,1,2\nTor,4,2\n"
    (fault,) = find_faults(write(tmp_path, content), "grid")
    assert (fault.sheet, fault.row) == ("control", None)
    assert "not needed if sheet cities has a column state" in fault.problem


def test_optional_sheets_may_be_missing_or_empty(tmp_path: Path) -> None:
    content = sheets()
    del content["units"]
    content["alliances"] = "state_a,state_b\n"
    with Campaign.build(write(tmp_path, content), "grid") as campaign:
        assert campaign.warnings == []
        assert campaign.sql("select count(*) from alliances").fetchall() == [(0,)]
    content["alliances"] = ""
    assert find_faults(write(tmp_path, content), "grid") == []


def test_unknown_sheets_and_columns_are_left_out_with_a_warning(tmp_path: Path) -> None:
    content = sheets()
    content["city"] = "a,b\n1,2\n"
    content["states"] = content["states"].replace("color", "colour")
    found = find_faults(write(tmp_path, content), "grid")
    assert [(f.severity, f.sheet, f.row, f.column, f.nearest) for f in found] == [
        ("warning", "states", 1, "colour", "color"),
        ("warning", "city", None, None, "cities"),
    ]


def test_a_sheet_that_is_there_twice(tmp_path: Path) -> None:
    write(tmp_path, sheets())
    (tmp_path / "units.tsv").write_text("unit\tstate\tsquare\n")
    (fault,) = find_faults(tmp_path, "grid")
    assert (fault.severity, fault.sheet) == ("error", "units")
    assert fault.problem == "the sheet is there twice: units.csv and units.tsv"


def test_sources_that_are_no_campaign(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="there is no folder or workbook"):
        Campaign.build(tmp_path / "none", "grid")
    with pytest.raises(SourceError, match="holds no sheets"):
        Campaign.build(tmp_path, "grid")
    (tmp_path / "file.csv").write_text("")
    with pytest.raises(SourceError, match="neither a folder of sheets"):
        Campaign.build(tmp_path / "file.csv", "grid")
    with pytest.raises(SourceError, match="not int"):
        Campaign.build(3, "grid")


def frames() -> dict[str, pd.DataFrame]:
    return {
        path.stem: pd.read_csv(path, keep_default_na=False, na_values=[""])
        for path in VALLEY.glob("*.csv")
    }


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "rows"])
def test_data_frames(plain: list[tuple[object, ...]], kind: str) -> None:
    convert: dict[str, Any] = {
        "pandas": lambda frame: frame,
        "polars": lambda frame: pl.DataFrame(
            frame.astype(object).where(frame.notna(), None).to_dict("list")
        ),
        "arrow": pa.Table.from_pandas,
        "rows": lambda frame: frame.to_dict("records"),
    }
    source = {name: convert[kind](frame) for name, frame in frames().items()}
    assert verdicts(source) == plain


def test_data_frames_with_faults_name_the_row() -> None:
    source = frames()
    source["control"].loc[0, "state"] = "Z"
    with pytest.raises(SheetError) as raised:
        Campaign.build(source, "grid")
    (fault,) = raised.value.faults
    assert (fault.sheet, fault.row, fault.value) == ("control", 2, "Z")


def test_pandas_columns_of_mixed_values_stay_as_they_are() -> None:
    # DuckDB guesses such columns' types from a sample of their values.
    many = 5000
    source: dict[str, Any] = {
        "nations": pd.DataFrame({"nation": ["1"]}),
        "states": pd.DataFrame(
            {"state": [1, "007", "1E5", True], "nation": ["1"] * 4}, dtype=object
        ),
        "squares": pd.DataFrame(
            {
                "x": range(many),
                "y": 0,
                "nation": [1.0] * (many - 1) + [float("nan")],
                "terrain": [*range(many - 1), "sea"],
            }
        ),
        "cities": pd.DataFrame(
            {"city": ["C"], "x": [0], "y": [0], "state": ["007"], "level": pd.NA}
        ),
        "alliances": pd.DataFrame(),
    }
    with Campaign.build(source, "grid") as campaign:
        states = {state for (state,) in campaign.sql("select state from states").fetchall()}
        assert states == {"1", "007", "1E5", "True"}
        assert campaign.sql(
            "select terrain, nation from squares where x in (7, 4999) order by x"
        ).fetchall() == [("7", "1"), ("sea", None)]
    source["control"] = pd.DataFrame(
        {"city": "C", "state": "007", "turn": [*range(1, many), 7777.6]}, dtype=object
    )
    with pytest.raises(SheetError, match="turn is not a whole number"):
        Campaign.build(source, "grid")


@pytest.mark.parametrize("folder", ["c[1]", "a*b", "turn=5", "nation=W"])
def test_a_folders_name_is_no_pattern(
    tmp_path: Path, plain: list[tuple[object, ...]], folder: str
) -> None:
    for name in (folder, "c1", "axb"):
        (tmp_path / name).mkdir()
    for name, frame in frames().items():
        table = pa.Table.from_pandas(frame, preserve_index=False)
        pq.write_table(table, tmp_path / folder / f"{name}.parquet")
        for other in ("c1", "axb"):
            pq.write_table(table.slice(0, 1), tmp_path / other / f"{name}.parquet")
    assert find_faults(tmp_path / folder, "grid") == []
    assert verdicts(tmp_path / folder) == plain


def test_a_folder_or_pipe_in_a_sheets_place_is_no_sheet(tmp_path: Path) -> None:
    write(tmp_path, sheets())
    (tmp_path / "units.csv").unlink()
    (tmp_path / "units.csv").mkdir()
    assert find_faults(tmp_path, "grid") == []


def test_columns_without_headings_are_noted_once(tmp_path: Path) -> None:
    content = sheets()
    content["squares"] = content["squares"].replace("x,y,nation,terrain", "x,y,nation,")
    (fault,) = find_faults(write(tmp_path, content), "grid")
    assert (fault.severity, fault.row, fault.column) == ("warning", 4, "D")


def test_sheets_that_are_no_frames() -> None:
    with pytest.raises(SheetError, match="a sheet is a data frame, or a sequence of rows"):
        Campaign.build({**frames(), "units": [1, 2]}, "grid")
    with pytest.raises(SheetError, match="this object cannot be read as a sheet"):
        Campaign.build({**frames(), "units": object()}, "grid")


def test_parquet_sheets(tmp_path: Path, plain: list[tuple[object, ...]]) -> None:
    for name, frame in frames().items():
        table = pa.Table.from_pandas(frame, preserve_index=False)
        if name == "squares":
            narrow = [pa.field("x", pa.int8()), pa.field("y", pa.uint16())]
            table = table.cast(pa.schema([*narrow, *list(table.schema)[2:]]))
        pq.write_table(table, tmp_path / f"{name}.parquet")
    assert verdicts(tmp_path) == plain
    pq.write_table(pa.table({"x": [1], "y": [0]}), tmp_path / "cities.parquet")
    (fault,) = [f for f in find_faults(tmp_path, "grid") if f.severity == "error"]
    assert fault.problem == "the headings lack city"
    (tmp_path / "cities.parquet").write_bytes(b"no parquet")
    (fault,) = [f for f in find_faults(tmp_path, "grid") if f.severity == "error"]
    assert "the sheet cannot be read" in fault.problem


def test_square_names_are_read_in_any_case_and_agree_with_coordinates() -> None:
    source: dict[str, list[dict[str, object]]] = {
        "nations": [{"nation": "ITA"}],
        "states": [{"state": "VEN", "nation": "ITA"}],
        "squares": [
            {"square": "G7-V8", "nation": "ITA"},
            {"square": " g8 - v8 ", "nation": "ITA"},
            {"x": 69, "y": 38, "nation": "ITA"},
            {"square": "L9-Z9", "x": "119.0", "y": 79, "nation": "ITA"},
        ],
        "cities": [{"city": "Venice", "square": "g7-v8", "state": "VEN"}],
    }
    with Campaign.build(source, "nwol") as campaign:
        assert campaign.sql("select square, x, y from squares order by x").fetchall() == [
            ("G7-V8", 67, 38),
            ("G8-V8", 68, 38),
            ("G9-V8", 69, 38),
            ("L9-Z9", 119, 79),
        ]
    with Campaign.build(
        {
            **source,
            "squares": [{"square": "J2-Y4", "nation": "ITA"}],
            "cities": [{"city": "México", "x": 92, "y": 94, "state": "VEN"}],
        },
        "amwol",
    ) as campaign:
        assert campaign.sql("select square, x, y from squares").fetchall() == [("J2-Y4", 92, 94)]


@pytest.mark.parametrize(
    ("typed", "read"),
    [("5", 5), ("+5", 5), ("-5", -5), ("005", 5), ("5.0", 5), ("5.00", 5), ("5,0", 5), ("5.", None),
     ("5.5", None), ("1,000", None), ("1.000", None), ("1e3", None), ("0x10", None), ("５", None)],
)  # fmt: skip
def test_whole_numbers(tmp_path: Path, typed: str, read: int | None) -> None:
    content: Sheets = sheets()
    content["control"] = f'city,state,turn\nFord,C,"{typed}"\n'
    if read is None:
        (fault,) = find_faults(write(tmp_path, content), "grid")
        assert (fault.column, fault.value) == ("turn", typed)
    elif read < 0:
        assert all(
            "first turn, -5" in f.problem for f in find_faults(write(tmp_path, content), "grid")
        )
    else:
        with Campaign.build(write(tmp_path, content), "grid") as campaign:
            turns = campaign.sql("select max(turn) from control").fetchall()
            assert turns == [(read,)]


@pytest.mark.parametrize(
    ("typed", "read"),
    [("true", True), ("X", True), ("yes", True), ("1", True), ("allied", True), ("", True),
     ("FALSE", False), ("no", False), ("0", False), ("n", False)],
)  # fmt: skip
def test_truth_values(tmp_path: Path, typed: str, read: bool) -> None:
    content = sheets()
    content["alliances"] = f"state_a,state_b,turn,allied\nC,B,3,{typed}\n"
    with Campaign.build(write(tmp_path, content), "grid") as campaign:
        rows = campaign.sql("from alliances").fetchall()
        assert rows == [(3, "C", "B", read)]


@pytest.mark.parametrize(
    ("data", "options"),
    [
        ("city,x,y,state\nKöln,1,0,A\n".encode("utf-16"), {}),
        ("\ufeffcity,x,y,state\nKöln,1,0,A\n".encode("utf-16-be"), {}),
        ("\ufeffcity,x,y,state\nKöln,1,0,A\n".encode("utf-16-le"), {}),
        ("city,x,y,state\nKöln,1,0,A\n".encode("utf-16-be"), {"encoding": "utf-16-be"}),
        ("city,x,y,state\nKöln,1,0,A\n".encode("cp1252"), {"encoding": "cp1252"}),
        ("city,x,y,state\nKöln,1,0,A\n".encode("latin-1"), {"encoding": "latin-1"}),
        ("city|x|y|state\nKöln|1|0|A\n".encode(), {"delimiter": "|"}),
        ("sep=|\ncity|x|y|state\nKöln|1|0|A\n".encode(), {}),
        ("sep=;\r\ncity;x;y;state\r\nKöln;1,0;0,0;A\r\n".encode(), {}),
        ("Cities of the valley\n\ncity,x,y,state\nKöln,1,0,A\n".encode(), {}),
    ],
)
def test_encodings_and_delimiters(tmp_path: Path, data: bytes, options: dict[str, str]) -> None:
    content = {name: sheets()[name] for name in ("nations", "states", "squares")}
    delimiter = options.get("delimiter", ",")
    write(tmp_path, {name: text.replace(",", delimiter) for name, text in content.items()})
    encoding = options.get("encoding", "utf-8")
    for path in tmp_path.iterdir():
        path.write_bytes(path.read_text("utf-8").encode(encoding))
    (tmp_path / "cities.csv").write_bytes(data)
    with Campaign.build(tmp_path, "grid", **options) as campaign:
        rows = campaign.sql("select city, square from cities").fetchall()
        assert rows == [("Köln", "1,0")]


def test_an_encoding_that_does_not_fit(tmp_path: Path) -> None:
    write(tmp_path, sheets())
    (tmp_path / "cities.csv").write_bytes("city,x,y,state\nKöln,1,0,A\n".encode("cp1252"))
    (fault,) = find_faults(tmp_path, "grid")
    assert "say what it is with --encoding (cp1252, latin-1, …)" in fault.problem
    for encoding, problem in (
        ("klingon", "there is no encoding 'klingon'"),
        ("ascii", "not ascii"),
    ):
        found = find_faults(tmp_path, "grid", encoding=encoding)
        assert any(problem in fault.problem for fault in found)


def test_rows_below_a_sep_line_are_numbered_as_excel_numbers_them(tmp_path: Path) -> None:
    content = sheets()
    content["control"] = "sep=,\ncity,state,turn\nFord,Z,3\n"
    (fault,) = find_faults(write(tmp_path, content), "grid")
    assert (fault.row, fault.value) == (2, "Z")
