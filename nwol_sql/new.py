"""Writes an empty campaign to fill in: a workbook, or a folder of CSV sheets.

What it writes can be built as it is: its example, a nation of two states, is marked as one.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

from nwol_sql.errors import FileError
from nwol_sql.files import already_there, replacing
from nwol_sql.rulesets import load_ruleset
from nwol_sql.schema import sheet_specs

if TYPE_CHECKING:
    from pathlib import Path

    from nwol_sql.rulesets import Ruleset

Rows = list[list[str]]

# How many columns and rows the map of a ruleset without letters starts with.
GRID_SIZE = (30, 20)

# How many rows of a sheet have drop-downs.
FILLABLE = 2000

EXAMPLE = "example: replace this row"

READ_ME = """\
A campaign for nwol-sql, ruleset {ruleset}.

1. Fill in the sheets. What each column holds is said below, and in a workbook on its heading.
   The rows of the nation XX are an example: replace them.
2. squares is the map: a nation's code in each square of land, nothing in the sea.
3. cities says where each city stands and who holds it at turn 0; control says who takes it later.
4. alliances says with an x which two states are allied; fill one half or both. For alliances that
   begin or end later, use the columns state_a, state_b, turn, allied instead.
5. nwol-sql check {source} --ruleset {ruleset}
   nwol-sql build {source} --ruleset {ruleset}

{columns}
"""

# Which sheet's codes a column may hold.
CHOICES = {
    ("states", "nation"): "nations",
    ("nations", "state"): "states",
    ("cities", "state"): "states",
    ("control", "city"): "cities",
    ("control", "state"): "states",
    ("units", "state"): "states",
}


def new_campaign(target: Path, ruleset: str | Path, force: bool = False) -> None:
    """Write an empty campaign to a workbook (a name that ends in .xlsx) or a new folder of CSV.

    Raises RulesetError, and FileError if the target is there already (and `force` is not given) or
    cannot be written.
    """
    rules = load_ruleset(ruleset)
    sheets = _sheets(rules)
    read_me = READ_ME.format(
        ruleset=ruleset,
        source=target.name,
        columns="\n".join(
            f"{name}.{column}: {note}"
            for name, spec in sheet_specs().items()
            for column, note in spec.notes.items()
        ),
    )
    if target.suffix.lower() == ".xlsx":
        with replacing(target, overwrite=force) as part:
            _write_book(part, sheets, read_me)
        return
    if target.suffix:
        raise FileError(f"{target}: name a workbook (.xlsx) or a folder")
    if target.exists() and not force:
        raise already_there(target)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"the folder {target} cannot be made: {error.strerror}") from error
    for name, rows in sheets.items():
        with (
            replacing(target / f"{name}.csv", overwrite=force) as part,
            part.open("w", encoding="utf-8", newline="") as file,
        ):
            csv.writer(file, lineterminator="\n").writerows(rows)
    with replacing(target / "README.txt", overwrite=force) as part:
        part.write_text(read_me, encoding="utf-8")


def _sheets(rules: Ruleset) -> dict[str, Rows]:
    across, down = _axes(rules)
    first, second = (f"{name}{'-' if rules.is_lettered else ','}{down[0]}" for name in across[:2])
    squares: Rows = [["", *across]]
    for row in down:
        squares.append(
            [row, *["XX" if row in down[:2] and name in across[:4] else "" for name in across]]
        )
    return {
        "nations": [["nation", "name", "kind", "state"], ["XX", EXAMPLE, "fragmented", ""]],
        "states": [
            ["state", "nation", "name", "color"],
            ["XA", "XX", EXAMPLE, "#6FB7E9"],
            ["XB", "XX", EXAMPLE, "#E8B04A"],
        ],
        "squares": squares,
        "cities": [
            ["city", "square", "level", "state"],
            ["Example City", first, "1", "XA"],
            ["Example Town", second, "1", "XB"],
        ],
        "control": [["city", "state", "turn"], ["Example Town", "XA", "1"]],
        "alliances": [["", "XA", "XB"], ["XA", "", "x"], ["XB", "", ""]],
        "units": [["unit", "state", "square"], ["Example Unit", "XA", first]],
    }


def _axes(rules: Ruleset) -> tuple[list[str], list[str]]:
    """Return the names of the map's columns and rows."""
    if not rules.is_lettered:
        return [str(x) for x in range(GRID_SIZE[0])], [str(y) for y in range(GRID_SIZE[1])]
    return rules.column_names, rules.row_names


def _write_book(part: Path, sheets: dict[str, Rows], read_me: str) -> None:
    from nwol_sql.xlsx import HEADINGS, open_book

    with open_book(part) as book:
        heading = book.add_format(HEADINGS)
        text = book.add_format({"num_format": "@"})
        number = book.add_format({"num_format": "0"})
        example = {"italic": True, "font_color": "#7F7F7F"}
        marked = book.add_format({**example, "num_format": "@"})
        marked_number = book.add_format({**example, "num_format": "0"})
        grid = book.add_format({"num_format": "@", "align": "center", "border": 4, "font_size": 8})
        axis = book.add_format({**HEADINGS, "num_format": "@", "align": "center", "font_size": 8})
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            if name in ("squares", "alliances"):
                _write_grid(sheet, rows, axis, grid, is_map=name == "squares")
                continue
            spec = sheet_specs()[name]
            for place, column in enumerate(rows[0]):
                is_number = column in ("turn", "level")
                sheet.set_column(place, place, 22, number if is_number else text)
                sheet.write_string(0, place, column, heading)
                sheet.write_comment(0, place, spec.notes[column], {"x_scale": 2})
                _validate(sheet, name, column, place)
                for line, row in enumerate(rows[1:], start=1):
                    if is_number and row[place]:
                        sheet.write_number(line, place, int(row[place]), marked_number)
                    else:
                        sheet.write_string(line, place, row[place], marked)
            sheet.freeze_panes(1, 0)
        sheet = book.add_worksheet("Read me")
        sheet.set_column(0, 0, 120)
        for line, content in enumerate(read_me.splitlines()):
            sheet.write_string(line, 0, content)


def _write_grid(sheet: Any, rows: Rows, axis: Any, grid: Any, is_map: bool) -> None:
    """Write a matrix or map: names across and down, room to fill in, and drop-downs."""
    width, height = len(rows[0]), len(rows)
    if not is_map:
        width = height = 60  # room for more states
    if is_map:
        sheet.set_column_pixels(1, width - 1, 30, grid)
    else:
        sheet.set_column(1, width - 1, 6, grid)
    sheet.set_column(0, 0, 8, axis)
    for line, row in enumerate(rows):
        for place, value in enumerate(row):
            style = axis if not line or not place else grid
            if value or not line or not place:
                sheet.write_string(line, place, value, style)
    if not is_map:
        for n in range(len(rows), height):
            sheet.write_blank(0, n, None, axis)
        sheet.write_comment(
            0, 0, "The states' codes across and down; x where two are allied.", {"x_scale": 2}
        )
    else:
        sheet.write_comment(0, 0, "A nation's code in each square of land, nothing in the sea.")
    options = (
        {"validate": "list", "source": "=nations!$A$2:$A$200"}
        if is_map
        else {"validate": "list", "source": ["x"]}
    )
    sheet.data_validation(1, 1, height - 1, width - 1, {**options, "error_type": "warning"})
    sheet.freeze_panes(1, 1)


def _validate(sheet: Any, name: str, column: str, place: int) -> None:
    options: dict[str, Any] | None = None
    if (name, column) in CHOICES:
        options = {"validate": "list", "source": f"={CHOICES[name, column]}!$A$2:$A${FILLABLE}"}
    elif column == "kind":
        options = {"validate": "list", "source": ["major", "minor", "unitary", "fragmented"]}
    elif column in ("turn", "level"):
        options = {"validate": "integer", "criteria": ">=", "value": 0}
    if options is not None:
        sheet.data_validation(1, place, FILLABLE, place, {**options, "error_type": "warning"})
