"""Reads a campaign's sheets as text, so that every value stays as it was typed.

Each sheet becomes a table `sheet_NAME` of text columns, with `sheet_row` numbered as a spreadsheet
shows it. Nothing is judged here but the shape of the sheets; what the values mean, and whether they
can be right, is asked in SQL (sql/sheets and sql/checks).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nwol_sql.errors import Fault, SourceError, nearest
from nwol_sql.schema import SheetSpec, sheet_specs

if TYPE_CHECKING:
    import duckdb

SUFFIXES = (".csv", ".tsv", ".parquet")

# What counts as space around a value: also what spreadsheets and web pages leave there.
BLANKS = " \t\r\n\v\f\u00a0\u2007\u202f\u200b\ufeff"


@dataclass
class Columns:
    """A sheet's known columns, found in its headings, and what was wrong with the headings."""

    positions: dict[str, int]
    faults: list[Fault]


def load_sheets(con: duckdb.DuckDBPyConnection, source: object) -> tuple[list[Fault], set[str]]:
    """Load every sheet of a campaign into temporary tables `sheet_NAME`.

    `source` is a folder of .csv, .tsv and .parquet sheets, or a mapping of sheet names to data
    frames (anything that DuckDB can scan) or to sequences of row mappings.

    Returns the faults in the sheets' shape, and the names of the sheets that could not be read at
    all. Raises SourceError where there is no such folder.
    """
    faults: list[Fault] = []
    broken: set[str] = set()
    found = _found(source, faults)
    columns_of: dict[str, set[str]] = {}
    for name, spec in sheet_specs().items():
        columns = ", ".join(f"{column} varchar" for column in spec.columns)
        con.execute(f"create or replace temp table sheet_{name} (sheet_row bigint, {columns})")
        if name in found:
            sheet = _Sheet(con, spec, found[name])
            sheet.load()
            faults += sheet.faults
            columns_of[name] = sheet.columns
            if sheet.is_broken:
                con.execute(f"delete from sheet_{name}")
                broken.add(name)
    for name, spec in sheet_specs().items():
        if not spec.is_required or name in broken:
            continue
        is_spared = spec.unless is not None and spec.unless[1] in columns_of.get(spec.unless[0], ())
        rows = con.execute(f"select count(*) from sheet_{name}").fetchall()[0][0]
        if rows == 0 and not is_spared:
            problem = _missing_sheet(name, spec, name in found)
            faults.append(Fault("error", name, None, None, None, problem))
            broken.add(name)
    return faults, broken


def _missing_sheet(name: str, spec: SheetSpec, is_there: bool) -> str:
    problem = "there are headings but no rows" if is_there else "the sheet is missing"
    if spec.unless is not None:
        sheet, column = spec.unless
        problem += f" (it is not needed if sheet {sheet} has a column {column})"
    return problem


def _found(source: object, faults: list[Fault]) -> dict[str, object]:
    """Return the campaign's sheets by their names: a path or a data frame each."""
    if isinstance(source, Mapping):
        named = [(str(name), sheet) for name, sheet in source.items()]
    elif isinstance(source, (str, Path)):
        named = _files(Path(source))
    else:
        raise SourceError(
            "a campaign's source is a folder, or a mapping of sheet names to data frames, not "
            f"{type(source).__name__}"
        )
    found: dict[str, object] = {}
    for given, sheet in named:
        name = _name(given)
        if name not in sheet_specs():
            problem = f"there is no sheet of this name in a campaign; {_label(sheet)} is left alone"
            faults.append(
                Fault("warning", given, None, None, None, problem, nearest(name, [*sheet_specs()]))
            )
        elif name in found:
            problem = f"the sheet is there twice: {_label(found[name])} and {_label(sheet)}"
            faults.append(Fault("error", name, None, None, None, problem))
        else:
            found[name] = sheet
    return found


def _files(folder: Path) -> list[tuple[str, object]]:
    if folder.is_file():
        raise SourceError(
            f"{folder} is a file; a campaign is a folder of sheets ({', '.join(SUFFIXES)})"
        )
    if not folder.is_dir():
        raise SourceError(f"there is no folder {folder}")
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES)
    if not files:
        raise SourceError(f"{folder} holds no sheets ({', '.join(SUFFIXES)})")
    return [(path.stem, path) for path in files if not path.name.startswith((".", "~"))]


def _name(text: str) -> str:
    """Return a sheet's or column's name without what does not matter: case and spaces."""
    return "_".join(text.strip(BLANKS).casefold().split())


def _label(sheet: object) -> str:
    return sheet.name if isinstance(sheet, Path) else "it"


class _Sheet:
    """One sheet on its way into its table."""

    def __init__(self, con: duckdb.DuckDBPyConnection, spec: SheetSpec, data: object) -> None:
        self.con = con
        self.spec = spec
        self.data = data
        self.columns: set[str] = set()
        self.faults: list[Fault] = []
        self.is_broken = False

    def load(self) -> None:
        if isinstance(self.data, Path) and self.data.suffix.lower() != ".parquet":
            self._load_text(self.data)
        elif isinstance(self.data, Path):
            self._load_relation(f"read_parquet({_quoted(str(self.data))})")
        elif isinstance(self.data, Sequence):
            self._load_mappings(self.data)
        else:
            self._load_frame()

    def _error(self, problem: str, row: int | None = None, column: str | None = None) -> None:
        self.faults.append(Fault("error", self.spec.name, row, column, None, problem))

    def _break(self, problem: str, row: int | None = None) -> None:
        self._error(problem, row)
        self.is_broken = True

    def _positions(self, headings: Sequence[str], row: int | None) -> dict[str, int]:
        """Return where each known column stands; note doubled, unknown and missing headings."""
        positions: dict[str, int] = {}
        for position, heading in enumerate(headings):
            name = _name(heading)
            if name in positions:
                self._break(f"the heading {name} is there twice", row)
            elif name in self.spec.columns:
                positions[name] = position
            elif name:
                problem = "this column is unknown and is kept out"
                guess = nearest(name, self.spec.columns, likeness=0.75)
                shown = heading.strip(BLANKS)
                self.faults.append(
                    Fault("warning", self.spec.name, row, shown, None, problem, guess)
                )
        missing = [column for column in self.spec.required if column not in positions]
        if missing:
            self._break(f"the headings lack {', '.join(missing)}", row)
        choices = self.spec.one_of
        if choices and not any(all(name in positions for name in choice) for choice in choices):
            words = ", or ".join(" and ".join(choice) for choice in choices)
            self._break(f"the headings lack {words}", row)
        self.columns = set(positions)
        return positions

    def _insert(self, rows: list[int], columns: dict[str, list[str | None]]) -> None:
        names = ["sheet_row", *columns]
        values = ["unnest($1::bigint[])"]
        values += [f"unnest(${number}::varchar[])" for number, _ in enumerate(columns, start=2)]
        self.con.execute(
            f"insert into sheet_{self.spec.name} ({', '.join(names)}) select {', '.join(values)}",
            [rows, *columns.values()],
        )

    # Text: .csv and .tsv

    def _load_text(self, path: Path) -> None:
        text = self._text(path)
        if text is None:
            return
        records = self._records(text, path)
        if not records:
            if not self.is_broken and self.spec.is_required:
                self._break(f"{path.name} is empty: its first row must hold the headings")
            return
        heading_row, headings = records[0]
        while headings and not headings[-1].strip(BLANKS):
            headings = headings[:-1]
        positions = self._positions(headings, heading_row)
        width = len(headings)
        for number, (row, record) in enumerate(records[1:], start=1):
            if len(record) == width:
                continue
            if any(value.strip(BLANKS) for value in record[width:]):
                self._error(
                    f"the row has {len(record)} values, but there are {width} headings", row
                )
            elif len(record) < width:
                self._error(
                    f"the row has only {len(record)} of the {width} values that the headings "
                    "ask for",
                    row,
                )
            records[number] = (row, [*record, *[""] * width][:width])
        if len(records) > 1:
            columns = list(zip(*(record for _, record in records[1:]), strict=True))
            self._insert(
                [row for row, _ in records[1:]],
                {
                    name: [value.strip(BLANKS) or None for value in columns[place]]
                    for name, place in positions.items()
                },
            )

    def _text(self, path: Path) -> str | None:
        try:
            data = path.read_bytes()
        except OSError as error:
            self._break(f"{path.name} cannot be read: {error.strerror}")
            return None
        advice = "save it as CSV UTF-8"
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            self._break(f"{path.name} is UTF-16, not UTF-8; {advice}")
            return None
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            self._break(
                f"{path.name} is not UTF-8: byte 0x{data[error.start]:02X} in line {line}; {advice}"
            )
            return None
        if "\0" in text:
            line = text.count("\n", 0, text.index("\0")) + 1
            self._break(f"{path.name} is no text: there is a NUL character in line {line}")
            return None
        return text

    def _records(self, text: str, path: Path) -> list[tuple[int, list[str]]]:
        """Return the records that are not blank, each with its row number."""
        records: list[tuple[int, list[str]]] = []
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
        row = 0
        try:
            for row, record in enumerate(reader, start=1):
                if any(value.strip(BLANKS) for value in record):
                    records.append((row, record))
        except csv.Error as error:
            self._break(
                f"{path.name} cannot be read as CSV after row {row}: {error} (is a quotation mark "
                "left open, or not doubled inside quotes?)"
            )
        return records

    # Typed: .parquet and data frames

    def _load_mappings(self, data: Sequence[Any]) -> None:
        if not all(isinstance(row, Mapping) for row in data):
            self._break("a sheet is a data frame, or a sequence of rows that map columns to values")
            return
        headings = list(dict.fromkeys(str(key) for row in data for key in row))
        if not headings:
            return
        positions = self._positions(headings, None)
        columns = {
            name: [_cell(row.get(headings[place])) for row in data]
            for name, place in positions.items()
        }
        self._insert(list(range(2, len(data) + 2)), columns)

    def _load_frame(self) -> None:
        import duckdb

        try:
            self.con.register("sheet_frame", self.data)
        except (duckdb.Error, TypeError) as error:
            self._break(f"this {type(self.data).__name__} cannot be read as a sheet: {error}")
            return
        try:
            self._load_relation("sheet_frame")
        finally:
            self.con.unregister("sheet_frame")

    def _load_relation(self, relation: str) -> None:
        """Load typed columns as the text that each value would be typed as."""
        import duckdb

        try:
            described = self.con.execute(f"describe select * from {relation}").fetchall()
            positions = self._positions([str(column[0]) for column in described], None)
            values = [_as_text(*described[place][:2]) for place in positions.values()]
            names = ", ".join(["sheet_row", *positions])
            self.con.execute(
                f"insert into sheet_{self.spec.name} ({names}) "
                f"select {', '.join(['row_number() over () + 1', *values])} from {relation}",
                [BLANKS],
            )
            known = [f"{name} is not null" for name in positions]
            self.con.execute(
                f"delete from sheet_{self.spec.name} where not ({' or '.join(known) or 'true'})"
            )
        except duckdb.Error as error:
            self._break(f"the sheet cannot be read: {str(error).splitlines()[0]}")


def _delimiter(text: str) -> str:
    """Return the delimiter of the first line that is not blank."""
    line = next((line for line in text.splitlines() if line.strip(BLANKS + ',;"')), "")
    counts = {delimiter: line.count(delimiter) for delimiter in (",", ";", "\t")}
    return max(counts, key=lambda delimiter: counts[delimiter])


def _cell(value: object) -> str | None:
    if value is None or value != value:  # NaN, the data frames' mark of a missing value
        return None
    return str(value).strip(BLANKS) or None


def _as_text(column: str, kind: str) -> str:
    text = f"nullif(trim(cast({_identifier(column)} as varchar), $1), '')"
    # NaN is the data frames' mark of a missing number.
    return f"nullif({text}, 'nan')" if kind in ("DOUBLE", "FLOAT") else text


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _identifier(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
