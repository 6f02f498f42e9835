"""Workbooks as people keep them: each mess is read right, or refused with where and what to do."""

from __future__ import annotations

import csv
import datetime
import sys
import zipfile
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest
from openpyxl.styles import PatternFill

from nwol_sql import Campaign, SheetError
from nwol_sql.check import find_faults
from nwol_sql.errors import SourceError
from tests.conftest import VALLEY
from tests.test_checks import sheets, write
from tests.test_sheets import verdicts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nwol_sql.errors import Fault

Rows = list[list[Any]]


def cells() -> dict[str, Rows]:
    """The valley's sheets as a spreadsheet holds them: numbers as numbers."""
    book: dict[str, Rows] = {}
    for path in sorted(VALLEY.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows: Rows = [[value or None for value in row] for row in csv.reader(file)]
        for row in rows[1:]:
            for place, heading in enumerate(rows[0]):
                if heading in ("x", "y", "turn", "level") and row[place] is not None:
                    row[place] = int(row[place])
        book[path.stem] = rows
    return book


def save(path: Path, book: dict[str, Rows]) -> Path:
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for name, rows in book.items():
        sheet = workbook.create_sheet(name)
        for row in rows:
            sheet.append(row)
    workbook.save(path)
    return path


def save_changed(path: Path, change: Callable[[openpyxl.Workbook], None]) -> Path:
    save(path, cells())
    workbook = openpyxl.load_workbook(path)
    change(workbook)
    workbook.save(path)
    return path


def faults(path: Path) -> list[Fault]:
    return find_faults(path, "grid")


@pytest.fixture(scope="module")
def plain() -> list[tuple[object, ...]]:
    return verdicts(VALLEY)


def test_a_workbook_is_read_as_a_folder_is(tmp_path: Path, plain: list[tuple[object, ...]]) -> None:
    path = save(tmp_path / "valley.xlsx", cells())
    assert faults(path) == []
    assert verdicts(path) == plain


def test_sheet_names_in_any_case_and_other_sheets(
    tmp_path: Path, plain: list[tuple[object, ...]]
) -> None:
    book = {f" {name.upper()} "[:31]: rows for name, rows in cells().items()}
    path = save(tmp_path / "valley.xlsx", {"Notes": [["notes"]], "Read me": [["ours"]], **book})
    (fault,) = faults(path)
    assert (fault.severity, fault.sheet) == ("warning", "Notes")
    assert "'Notes' is left alone" in fault.problem
    assert verdicts(path) == plain


def test_two_turns_in_two_workbooks(tmp_path: Path) -> None:
    book = cells()
    book["control"] = [["city", "state"]]
    old = save(tmp_path / "old.xlsx", book)
    book["cities"][2] = ["Ford", 3, 0, 1, "C"]
    new = save(tmp_path / "new.xlsx", book)
    changed = set(verdicts(new)) ^ set(verdicts(old))
    assert {row[0] for row in changed} == {"2,0", "2,1", "3,0", "3,1"}


def titles(book: openpyxl.Workbook) -> None:
    sheet = book["states"]
    sheet.insert_rows(1, 3)
    sheet["A1"] = "The states of the valley"
    sheet.merge_cells("A1:D1")
    sheet["B2"] = "as of today"


def blank_rows(book: openpyxl.Workbook) -> None:
    for name in ("squares", "cities", "alliances"):
        book[name].insert_rows(3, 2)


def coloured_rows(book: openpyxl.Workbook) -> None:
    fill = PatternFill("solid", fgColor="FFFF00")
    for row in range(20, 2020):
        for column in range(1, 6):
            book["squares"].cell(row, column).fill = fill


def spaces(book: openpyxl.Workbook) -> None:
    for row in book["states"].iter_rows():
        for cell in row:
            if cell.value is not None:
                cell.value = f"\u00a0 {cell.value}\u00a0"


def whole_floats(book: openpyxl.Workbook) -> None:
    for row in book["squares"].iter_rows(min_row=2, max_col=2):
        for cell in row:
            cell.value = float(cell.value)


def truth_values(book: openpyxl.Workbook) -> None:
    book["alliances"]["D4"] = True
    book["alliances"]["D5"] = False


def hidden(book: openpyxl.Workbook) -> None:
    book["units"].sheet_state = "hidden"
    book["squares"].row_dimensions[3].hidden = True
    book["squares"].column_dimensions["C"].hidden = True


READ_RIGHT = {
    titles: [("states", 1, None, "above the headings"), ("states", 2, None, "above the headings")],
    blank_rows: [],
    coloured_rows: [],
    spaces: [],
    whole_floats: [],
    truth_values: [],
    hidden: [("units", None, None, "is hidden in the workbook; it is read all the same")],
}


@pytest.mark.parametrize("change", READ_RIGHT, ids=lambda change: change.__name__)
def test_mess_that_is_read_right(
    tmp_path: Path, plain: list[tuple[object, ...]], change: Callable[[openpyxl.Workbook], None]
) -> None:
    path = save_changed(tmp_path / "valley.xlsx", change)
    found = faults(path)
    assert [(f.severity, f.sheet, f.row, f.column) for f in found] == [
        ("warning", *expected[:3]) for expected in READ_RIGHT[change]
    ]
    for fault, expected in zip(found, READ_RIGHT[change], strict=True):
        assert str(expected[3]) in fault.problem
    assert verdicts(path) == plain


def put(sheet: str, place: str, value: object) -> Callable[[openpyxl.Workbook], None]:
    def change(book: openpyxl.Workbook) -> None:
        book[sheet][place] = value

    return change


def merged(book: openpyxl.Workbook) -> None:
    book["squares"].merge_cells("C7:C9")


def doubled(book: openpyxl.Workbook) -> None:
    book["states"]["D1"] = "State "


def swapped(book: openpyxl.Workbook) -> None:
    book["control"]["A1"], book["control"]["B1"] = "state", "city"


def unnamed(book: openpyxl.Workbook) -> None:
    book["squares"]["D1"] = None


REFUSED: list[tuple[Callable[[openpyxl.Workbook], None], list[tuple[Any, ...]]]] = [
    (put("squares", "C5", 5), [("squares", 5, "nation", "5", "holds a number, not text")]),
    (
        put("control", "A2", datetime.date(2024, 5, 1)),
        [("control", 2, "city", "2024-05-01", "holds a date or time, not text")],
    ),
    (
        put("control", "B2", True),
        [("control", 2, "state", "TRUE", "holds a truth value, not text")],
    ),
    (put("squares", "A8", "1.5"), [("squares", 8, "x", "1.5", "not a whole number")]),
    (put("squares", "A8", 1.5), [("squares", 8, "x", "1.5", "not a whole number")]),
    (
        put("control", "C2", datetime.date(2024, 5, 1)),
        [("control", 2, "turn", "2024-05-01", "holds a date or time, not a number")],
    ),
    (put("states", "C3", True), [("states", 3, "name", "TRUE", "holds a truth value, not text")]),
    (
        put("control", "B2", "=A1"),
        [("control", 2, "state", None, "B2 holds a formula that was never calculated")],
    ),
    (merged, [("squares", 7, "nation", None, "the cells C7:C9 are merged")]),
    (doubled, [("states", 1, None, None, "the heading state is there twice")]),
    (
        swapped,
        [
            ("control", 2, "city", "C", "does not list this city"),
            ("control", 2, "state", "Ford", "does not list this state"),
        ],
    ),
    (put("states", "F3", "a note"), [("states", 3, None, "a note", "F3 stands under no heading")]),
    (put("cities", "A1", "town"), [("cities", 1, None, None, "the headings lack city")]),
]


@pytest.mark.parametrize(("change", "expected"), REFUSED)
def test_mess_that_is_refused(
    tmp_path: Path,
    change: Callable[[openpyxl.Workbook], None],
    expected: list[tuple[Any, ...]],
) -> None:
    path = save_changed(tmp_path / "valley.xlsx", change)
    found = [fault for fault in faults(path) if fault.severity == "error"]
    for fault, wanted in zip(found, expected, strict=True):
        assert (fault.sheet, fault.row, fault.column, fault.value) == wanted[:4]
        assert wanted[4] in fault.problem
    with pytest.raises(SheetError):
        Campaign.build(path, "grid")


def test_a_column_without_a_heading_is_left_out_with_a_warning(tmp_path: Path) -> None:
    path = save_changed(tmp_path / "valley.xlsx", unnamed)
    # Column D, the last, held the terrain: its values now stand under no heading.
    found = faults(path)
    assert {(fault.severity, fault.row) for fault in found} == {("error", 4), ("error", 11)}
    content = sheets()
    content["states"] = "state,,nation\nA,x,V\nB,,V\nC,,V\nW,,W\n"
    folder = tmp_path / "folder"
    folder.mkdir()
    (fault,) = faults(write(folder, content))
    assert (fault.severity, fault.row, fault.column) == ("warning", 2, "B")
    assert "column B has values but no heading" in fault.problem


def test_error_cells_are_found(tmp_path: Path) -> None:
    import xlsxwriter

    path = tmp_path / "valley.xlsx"
    book = xlsxwriter.Workbook(path)
    for name, rows in cells().items():
        sheet = book.add_worksheet(name)
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, row)
        if name == "squares":
            sheet.write_formula("C4", "=NA()", None, "#N/A")
            sheet.write_formula("C5", '="V"', None, "V")
    book.close()
    (fault,) = faults(path)
    assert (fault.sheet, fault.row, fault.column) == ("squares", 4, "nation")
    assert fault.problem == "C4 holds an error; mend or clear it"


def test_a_bad_value_after_many_good_rows(tmp_path: Path) -> None:
    book = cells()
    book["squares"] += [[x, y, "V", None] for x in range(5, 205) for y in range(305)]
    book["squares"].append([7, 0.25, "V", None])
    (fault,) = faults(save(tmp_path / "valley.xlsx", book))
    assert (fault.row, fault.column, fault.value) == (61017, "y", "0.25")


# Alliances as a matrix: at turn 0 A and B are allied, and W with both.
MATRIX: Rows = [
    ["allied", "A", "B", "C", "W"],
    ["A", None, "x", None, "1"],
    ["B", None, None, None, "yes"],
    ["C", None, None, None, None],
    ["W", None, None, None, None],
]


def turned(rows: Rows) -> Rows:
    return [list(row) for row in zip(*rows, strict=True)]


def both_halves(rows: Rows) -> Rows:
    return [
        [rows[i][j] if i <= j else rows[j][i] or rows[i][j] for j in range(len(rows))]
        for i in range(len(rows))
    ]


@pytest.mark.parametrize(
    "matrix",
    [
        MATRIX,
        turned(MATRIX),
        [[MATRIX[0][0], *MATRIX[0][1:]], *both_halves(MATRIX)[1:]],
        [["Alliances of the valley", None, None, None, None], [None] * 5, *MATRIX],
        [[None, *MATRIX[0][1:]], *MATRIX[1:]],
        [MATRIX[0], ["A", "-", True, "no", 1], *MATRIX[2:]],
    ],
)
@pytest.mark.parametrize("kind", ["xlsx", "csv"])
def test_alliances_as_a_matrix(tmp_path: Path, matrix: Rows, kind: str) -> None:
    book = {**cells(), "alliances": matrix}
    if kind == "xlsx":
        source = save(tmp_path / "valley.xlsx", book)
    else:
        lines = [",".join("" if cell is None else str(cell) for cell in row) for row in matrix]
        source = write(tmp_path, {**sheets(), "alliances": "\n".join(lines) + "\n"})
    with Campaign.build(source, "grid") as campaign:
        rows = campaign.sql(
            "select turn, least(state_a, state_b), greatest(state_a, state_b), allied from alliances"
        ).fetchall()
    assert sorted(rows) == [(0, "A", "B", True), (0, "A", "W", True), (0, "B", "W", True)]


def changed_matrix(row: int, column: int, value: object) -> Rows:
    rows = both_halves(MATRIX)
    rows[0] = MATRIX[0]
    rows[row][column] = value
    return [[rows[i][0] if j == 0 else rows[i][j] for j in range(5)] for i in range(5)]


WRONG_MATRIX: list[tuple[Rows, tuple[Any, ...]]] = [
    (
        changed_matrix(2, 1, None),
        (2, "C", None, "C2 says that A and B are allied, B3 does not"),
    ),
    ([MATRIX[0], ["A", None, "x"], ["B", "no", None]], (2, "C", None, "C2 says that A and B")),
    ([MATRIX[0], ["A", None, "perhaps"]], (2, "C", "perhaps", "C2 is neither a mark")),
    ([MATRIX[0], ["A", "x"]], (2, "B", "A", "cannot be allied with itself")),
    ([["", "A", "Z"], ["A", None, "x"]], (2, "C", "Z", "does not list this state")),
    # Without a mark, too.
    ([["", "A", "B", "Z"], ["A", None, "x"]], (1, "D", "Z", "does not list this state")),
    ([["", "A", "B"], ["A", None, "x"], ["Z", "no"]], (3, "A", "Z", "does not list this state")),
    ([["", "A", "Z"], ["A"], ["Z"]], (1, "C", "Z", "does not list this state")),
    (
        [["", "A", "B", "B"], ["A", None, "x"]],
        (1, None, None, "'B' is there twice: C1 and D1"),
    ),
    ([["", "A", "B"], ["A", None, "x"], ["A"]], (3, None, None, "'A' is there twice: A2 and A3")),
    (
        [["", "A", "B"], ["A"], [None, "x"]],
        (3, None, None, "A3 is empty, but there"),
    ),
    (
        [["", "A", "B"], ["A", None, None, "x"]],
        (1, None, None, "D1 is empty, but there"),
    ),
]


@pytest.mark.parametrize(("matrix", "expected"), WRONG_MATRIX)
def test_a_wrong_matrix_is_refused(tmp_path: Path, matrix: Rows, expected: tuple[Any, ...]) -> None:
    found = faults(save(tmp_path / "valley.xlsx", {**cells(), "alliances": matrix}))
    assert [(f.sheet, f.row, f.column, f.value) for f in found] == [("alliances", *expected[:3])]
    assert expected[3] in found[0].problem


MAP: Rows = [
    [None, 0, 1, 2, 3, 4],
    [0, "V", "V", "V", "V", "W"],
    [1, "V", "V", "V", "V", None],
    [2, "V", "V", "V", "V", "V"],
]


@pytest.mark.parametrize("kind", ["xlsx", "csv"])
def test_squares_as_a_map(tmp_path: Path, plain: list[tuple[object, ...]], kind: str) -> None:
    if kind == "xlsx":
        book = {**cells(), "squares": [["Map of the valley"], *MAP]}
        source = save(tmp_path / "valley.xlsx", book)
    else:
        lines = [",".join("" if cell is None else str(cell) for cell in row) for row in MAP]
        source = write(tmp_path, {**sheets(), "squares": "\n".join(lines) + "\n"})
    assert verdicts(source) == plain


def lettered(squares: Rows) -> dict[str, Rows]:
    return {
        "nations": [["nation"], ["GER"]],
        "states": [["state", "nation"], ["BAV", "GER"], ["SAX", "GER"]],
        "squares": squares,
        "cities": [["city", "square", "state"], ["Ulm", "A1-S0", "BAV"]],
    }


def test_squares_as_a_map_with_letters(tmp_path: Path) -> None:
    path = save(
        tmp_path / "map.xlsx",
        lettered(
            [[None, "A0", "A1", "a2"], ["S0", None, "GER", "GER"], ["S1", "GER", None, "GER"]]
        ),
    )
    with Campaign.build(path, "nwol") as campaign:
        assert campaign.sql(
            "select square, x, y, nation from squares order by y, x"
        ).fetchall() == [
            ("A0-S0", 0, 0, None),
            ("A1-S0", 1, 0, "GER"),
            ("A2-S0", 2, 0, "GER"),
            ("A0-S1", 0, 1, "GER"),
            ("A1-S1", 1, 1, None),
            ("A2-S1", 2, 1, "GER"),
        ]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (["S1", "GER", "GRE", "GER"], (3, "C (A1-S1)", "GRE", "does not list this nation")),
        (["S1", 7, "GER", "GER"], (3, "B (A0-S1)", "7", "holds a number, not text")),
        (["S0", "GER", "GER", "GER"], (3, None, None, "'S0' is there twice: A2 and A3")),
    ],
)
def test_a_wrong_map_is_refused(tmp_path: Path, row: list[Any], expected: tuple[Any, ...]) -> None:
    rows = [[None, "A0", "A1", "A2"], ["S0", None, "GER", "GER"], row]
    found = find_faults(save(tmp_path / "map.xlsx", lettered(rows)), "nwol")
    first = found[0]
    assert (first.sheet, first.row, first.column, first.value) == ("squares", *expected[:3])
    assert expected[3] in first.problem


def test_a_grid_and_a_list_in_one_sheet_are_refused(tmp_path: Path) -> None:
    rows = [*MATRIX, [], ["state_a", "state_b", "turn"], ["A", "C", 2]]
    found = faults(save(tmp_path / "valley.xlsx", {**cells(), "alliances": rows}))
    assert [(f.severity, f.sheet, f.row) for f in found] == [("error", "alliances", 7)]
    assert "a grid and a list stand in one sheet" in found[0].problem


def test_data_above_the_headings_is_refused(tmp_path: Path) -> None:
    book = cells()
    book["cities"] = [book["cities"][1], book["cities"][0], *book["cities"][2:]]
    found = faults(save(tmp_path / "valley.xlsx", book))
    assert (found[0].severity, found[0].sheet, found[0].row) == ("error", "cities", 1)
    assert "this row stands above the headings" in found[0].problem


@pytest.mark.parametrize(
    ("sheet", "old", "new", "meant"),
    [
        ("control", "turn", "From turn", "turn"),
        ("alliances", "turn", "Turn no.", "turn"),
        ("alliances", "allied", "Ally", "allied"),
    ],
)
def test_a_heading_that_would_fall_back_to_its_default_is_refused(
    tmp_path: Path, sheet: str, old: str, new: str, meant: str
) -> None:
    book = cells()
    book[sheet][0] = [new if heading == old else heading for heading in book[sheet][0]]
    errors = [f for f in faults(save(tmp_path / "valley.xlsx", book)) if f.severity == "error"]
    (renamed,) = [f for f in errors if (f.sheet, f.row, f.column) == (sheet, 1, new)]
    assert f"is it {meant}? then rename it" in renamed.problem


@pytest.mark.parametrize("name", ["aliances", "Alliances 1805", "unit"])
def test_a_mistyped_name_of_an_optional_sheet_is_refused(tmp_path: Path, name: str) -> None:
    book = cells()
    book[name] = book.pop("units" if name == "unit" else "alliances")
    errors = [f for f in faults(save(tmp_path / "valley.xlsx", book)) if f.severity == "error"]
    assert [f.sheet for f in errors] == [name]
    assert "then rename it" in errors[0].problem


def test_what_stands_beside_a_map_is_named(tmp_path: Path) -> None:
    rows = [["Map", 1805], *[[*row] for row in MAP], ["Legend: V is the valley"]]
    found = faults(save(tmp_path / "valley.xlsx", {**cells(), "squares": rows}))
    errors = [fault for fault in found if fault.severity == "error"]
    assert [(f.row, f.value) for f in errors] == [(6, "Legend: V is the valley")]
    assert "A6 is no name of a row of the map; move it to another sheet" in errors[0].problem
    doubled = [["", 0, "00", 1], [0, "V", "V", "V"]]
    found = faults(save(tmp_path / "valley.xlsx", {**cells(), "squares": doubled}))
    assert "'0' is there twice: B1 and C1" in found[0].problem


def test_every_fault_of_a_row_is_found(tmp_path: Path) -> None:
    book = cells()
    book["cities"][1] = ["Oak", "one", 0, "high", "AA"]
    found = faults(save(tmp_path / "valley.xlsx", book))
    assert {(f.row, f.column) for f in found} == {(2, "x"), (2, "level"), (2, "state")}


def test_files_that_are_no_workbooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = tmp_path / "text.xlsx"
    text.write_text("no workbook")
    with pytest.raises(SourceError, match="cannot be read as a workbook"):
        Campaign.build(text, "grid")
    with zipfile.ZipFile(tmp_path / "other.ods", "w") as archive:
        archive.writestr("a.txt", "nothing")
    with pytest.raises(SourceError, match="cannot be read as a workbook"):
        Campaign.build(tmp_path / "other.ods", "grid")
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(SourceError, match=r"pip install 'nwol-sql\[excel\]'"):
        Campaign.build(text, "grid")
