"""Reads .xlsx and .ods workbooks, and finds what reading them would lose in silence.

python-calamine reads the values; it gives cells with errors, and formulas that were never calculated,
as if they were empty, so these are looked up in the file itself.
"""

from __future__ import annotations

import re
import zipfile
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from nwol_sql.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


Place = tuple[int, int]  # row and column, from 0

ERROR = "an error; mend or clear it"
UNCALCULATED = (
    "a formula that was never calculated; open the workbook and save it, or type the value"
)

TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
CALCEXT = "{urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}"


class Workbook:
    """A workbook, open for reading.

    Raises SourceError if the file is no workbook, is protected by a password, or if python-calamine
    is not installed.
    """

    def __init__(self, path: Path) -> None:
        try:
            import python_calamine
        except ImportError as error:
            raise SourceError(
                "to read workbooks, install python-calamine: pip install 'nwol-sql[excel]'"
            ) from error
        self.path = path
        try:
            self._book = python_calamine.CalamineWorkbook.from_path(str(path))
        except python_calamine.PasswordError as error:
            raise SourceError(f"{path} is protected by a password") from error
        except (python_calamine.CalamineError, OSError) as error:
            raise SourceError(f"{path} cannot be read as a workbook: {error}") from error
        self.hidden = {
            sheet.name
            for sheet in self._book.sheets_metadata
            if sheet.visible != python_calamine.SheetVisibleEnum.Visible
        }

    @property
    def sheet_names(self) -> list[str]:
        return list(self._book.sheet_names)

    def records(self, name: str) -> list[tuple[int, list[Any]]]:
        """Return the rows that are not blank, each with its number; empty cells are ''."""
        sheet = self._book.get_sheet_by_name(name)
        rows = sheet.to_python(skip_empty_area=False)
        return [(n, row) for n, row in enumerate(rows, start=1) if any(cell != "" for cell in row)]

    def merged(self, name: str) -> list[tuple[Place, Place]]:
        """Return the corners of merged cells."""
        if self.path.suffix.lower() == ".ods":
            return list(self._spans(name))
        return list(self._book.get_sheet_by_name(name).merged_cell_ranges or [])

    def traps(self, name: str) -> dict[Place, str]:
        """Return the cells that look empty but are not, with what they hold."""
        with zipfile.ZipFile(self.path) as archive:
            if self.path.suffix.lower() == ".ods":
                return dict(self._ods_traps(name))
            part = _part(archive, self.sheet_names.index(name))
            data = archive.read(part) if part else b""
        # Few sheets have any, and looking is quick.
        if b'"e"' not in data and b"<f" not in data and b":f" not in data:
            return {}
        return dict(_xlsx_traps(data))

    def _ods_traps(self, name: str) -> Iterator[tuple[Place, str]]:
        for place, cell in self._ods_cells(name, rb'"error"|table:formula'):
            if cell.get(f"{CALCEXT}value-type") == "error":
                yield place, ERROR
            elif cell.get(f"{TABLE}formula") and not cell.get(f"{OFFICE}value-type"):
                yield place, UNCALCULATED

    def _spans(self, name: str) -> Iterator[tuple[Place, Place]]:
        for (row, column), cell in self._ods_cells(name, rb"number-(rows|columns)-spanned"):
            rows = int(cell.get(f"{TABLE}number-rows-spanned", "1"))
            columns = int(cell.get(f"{TABLE}number-columns-spanned", "1"))
            if rows > 1 or columns > 1:
                yield (row, column), (row + rows - 1, column + columns - 1)

    def _ods_cells(self, name: str, sign: bytes) -> Iterator[tuple[Place, ElementTree.Element]]:
        """Yield a sheet's cells with their places, if the file shows any sign of what is sought."""
        with zipfile.ZipFile(self.path) as archive:
            data = archive.read("content.xml")
        if not re.search(sign, data):
            return
        for table in ElementTree.fromstring(data).iter(f"{TABLE}table"):
            if table.get(f"{TABLE}name") != name:
                continue
            row = 0
            for line in table.iter(f"{TABLE}table-row"):
                column = 0
                for cell in line:
                    yield (row, column), cell
                    column += int(cell.get(f"{TABLE}number-columns-repeated", "1"))
                row += int(line.get(f"{TABLE}number-rows-repeated", "1"))


def _part(archive: zipfile.ZipFile, number: int) -> str | None:
    """Return the name of the file that holds a workbook's sheet, by the sheet's number."""
    relation = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
    book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
    sheets = [element for element in book.iter() if element.tag.endswith("}sheet")]
    targets = {
        element.get("Id"): str(element.get("Target"))
        for element in ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    }
    target = targets.get(sheets[number].get(relation), "").removeprefix("/")
    return next((name for name in (target, f"xl/{target}") if name in archive.namelist()), None)


def _xlsx_traps(data: bytes) -> Iterator[tuple[Place, str]]:
    for cell in ElementTree.fromstring(data).iter():
        if not cell.tag.endswith("}c"):
            continue
        parts = {part.tag.rpartition("}")[2]: part for part in cell}
        place = _place(cell.get("r", ""))
        if cell.get("t") == "e":
            yield place, ERROR
        elif (
            "f" in parts
            and ("v" not in parts or parts["v"].text is None)
            and cell.get("t") != "str"
        ):
            yield place, UNCALCULATED


def _place(reference: str) -> Place:
    letters = reference.rstrip("0123456789")
    column = 0
    for letter in letters:
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(reference[len(letters) :] or "1") - 1, column - 1


def column_letters(column: int) -> str:
    """Return a column's name as spreadsheets show it: 0 is A, 26 is AA."""
    letters = ""
    number = column + 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def kind_of(cell: object) -> str | None:
    """Return what a cell holds instead of text, in words; None for text."""
    if isinstance(cell, bool):
        return "a truth value"
    if isinstance(cell, (int, float)):
        return "a number"
    if isinstance(cell, (date, datetime, time, timedelta)):
        return "a date or time"
    return None


def cell_text(cell: object) -> str:
    """Return a cell's value as it would be typed: 5.0 is 5, and truth values are TRUE and FALSE."""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return str(cell)
