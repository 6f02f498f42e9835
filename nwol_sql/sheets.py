"""Reads a campaign's sheets as text, so that every value stays as it was typed.

Each sheet becomes a table `sheet_NAME` of text columns, with `sheet_row` numbered as a spreadsheet
shows it. Nothing is judged here but the shape of the sheets; what the values mean, and whether they
can be right, is asked in SQL (sql/sheets and sql/checks).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nwol_sql.errors import Fault, SourceError, nearest
from nwol_sql.quoting import identifier, literal
from nwol_sql.schema import SheetSpec, sheet_specs
from nwol_sql.textfiles import BLANKS, UnreadableError, read_records

if TYPE_CHECKING:
    import duckdb

    from nwol_sql.workbooks import Workbook

TEXT_SUFFIXES = (".csv", ".tsv")
SHEET_SUFFIXES = (*TEXT_SUFFIXES, ".parquet")
BOOK_SUFFIXES = (".xlsx", ".xlsm", ".ods")

# What spreadsheets must not have changed into numbers, dates or truth values.
CODES = ("nation", "state", "state_a", "state_b", "square", "city", "unit")
NUMBERS = ("x", "y", "turn", "level")

# How far down the headings are looked for, below titles and notes.
HEADINGS_WITHIN = 20

MARKS = ("x", "1", "1.0", "yes", "y", "true", "t", "allied")
# Sheets that this project writes beside a campaign's own: nothing to say about.
OWN_SHEETS = ("read_me", "ownership", "map", "holdings", "deployment", "changes", "rulings")

NO_MARKS = ("", "0", "0.0", "no", "n", "false", "f", "-", "–", "—")

Records = list[tuple[int, list[Any]]]


@dataclass(frozen=True)
class Reading:
    """How sheets are to be read: by which square names, and text files in which encoding."""

    is_lettered: bool = True
    encoding: str | None = None
    delimiter: str | None = None


@dataclass
class Loaded:
    """What came of reading the sheets.

    `broken` names the sheets that could not be read at all. `places` tells where a row of a sheet
    really stands, if it was read from a cell of a matrix or map: its row, and its column. `ragged`
    names the rows, by sheet, that lack values or have too many.
    """

    faults: list[Fault] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    places: dict[tuple[str, int], tuple[int, str]] = field(default_factory=dict)
    ragged: set[tuple[str, int]] = field(default_factory=set)

    def located(self, fault: Fault) -> Fault:
        """Return a fault with the place in the spreadsheet instead of the table's row."""
        place = self.places.get((fault.sheet, fault.row)) if fault.row is not None else None
        if place is None:
            return fault
        return replace(fault, row=place[0], column=place[1])


@dataclass(frozen=True)
class BookSheet:
    """A sheet of a workbook."""

    book: Workbook
    name: str


def load_sheets(con: duckdb.DuckDBPyConnection, source: object, reading: Reading) -> Loaded:
    """Load every sheet of a campaign into temporary tables `sheet_NAME`.

    `source` is a folder of .csv, .tsv and .parquet sheets, a workbook, or a mapping of sheet names to
    data frames (anything that DuckDB can scan) or to sequences of row mappings.

    Raises SourceError where the source cannot be read at all.
    """
    loaded = Loaded()
    found = _found(source, loaded.faults)
    columns_of: dict[str, set[str]] = {}
    # States that name a row or column of the alliance matrix and have no alliance in it.
    con.execute("create or replace temp table matrix_names (sheet_row bigint, state varchar)")
    for name, spec in sheet_specs().items():
        columns = ", ".join(f"{column} varchar" for column in spec.columns)
        con.execute(f"create or replace temp table sheet_{name} (sheet_row bigint, {columns})")
        if name in found:
            sheet = _Sheet(con, spec, found[name], reading)
            sheet.load()
            loaded.faults += sheet.faults
            loaded.places.update({(name, row): place for row, place in sheet.places.items()})
            loaded.ragged |= {(name, row) for row in sheet.ragged}
            columns_of[name] = sheet.columns
            if sheet.is_broken:
                con.execute(f"delete from sheet_{name}")
                loaded.broken.add(name)
    for name, spec in sheet_specs().items():
        if not spec.is_required or name in loaded.broken:
            continue
        is_spared = spec.unless is not None and spec.unless[1] in columns_of.get(spec.unless[0], ())
        rows = con.execute(f"select count(*) from sheet_{name}").fetchall()[0][0]
        if rows == 0 and not is_spared:
            problem = missing_sheet(spec, name in found)
            strays = [fault.sheet for fault in loaded.faults if fault.sheet not in sheet_specs()]
            guess = nearest(name, strays)
            if guess is not None and name not in found:
                problem += f"; is {guess!r} meant?"
            loaded.faults.append(Fault("error", name, None, None, None, problem))
            loaded.broken.add(name)
    return loaded


def missing_sheet(spec: SheetSpec, is_there: bool) -> str:
    """Return what is wrong where a sheet that must be there is not, or has no rows."""
    problem = "the sheet has no rows" if is_there else "the sheet is missing"
    if spec.unless is not None:
        sheet, column = spec.unless
        problem += f" (it is not needed if sheet {sheet} has a column {column})"
    return problem


def mistaken_columns(
    spec: SheetSpec, known: Collection[str], unknown: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Return the columns, of unknown ones as typed and plainly named, whose loss would change much.

    Each comes with the problem: without turn or allied every row would count from turn 0, and as an
    alliance.
    """
    return [
        (shown, f"this column is unknown: is it {column}? then rename it")
        for shown, name in unknown
        for column in ("turn", "allied")
        if column in spec.columns
        and column not in known
        and (column in name or nearest(name, [column], likeness=0.6))
    ]


def missing_columns(spec: SheetSpec, known: Collection[str]) -> list[str]:
    """Return what a sheet with these columns lacks."""
    problems = []
    missing = [column for column in spec.required if column not in known]
    if missing:
        problems.append(f"the headings lack {', '.join(missing)}")
    choices = spec.one_of
    if choices and not any(all(name in known for name in choice) for choice in choices):
        words = ", or ".join(" and ".join(choice) for choice in choices)
        problems.append(f"the headings lack {words}")
    return problems


def _found(source: object, faults: list[Fault]) -> dict[str, object]:
    """Return the campaign's sheets by their names."""
    if isinstance(source, Mapping):
        named = [(str(name), sheet) for name, sheet in source.items()]
    elif isinstance(source, (str, Path)):
        path = Path(source)
        named = _book_sheets(path, faults) if path.is_file() else _files(path)
    else:
        raise SourceError(
            "a campaign's source is a folder, a workbook, or a mapping of sheet names to data "
            f"frames, not {type(source).__name__}"
        )
    found: dict[str, object] = {}
    for given, sheet in named:
        name = plain_name(given)
        if name not in sheet_specs():
            if name in OWN_SHEETS:
                continue
            problem = f"there is no sheet of this name in a campaign; {_label(sheet)} is left alone"
            guess = nearest(name, [*sheet_specs()], likeness=0.6)
            faults.append(Fault("warning", given, None, None, None, problem, guess))
        elif name in found:
            problem = f"the sheet is there twice: {_label(found[name])} and {_label(sheet)}"
            faults.append(Fault("error", name, None, None, None, problem))
        else:
            found[name] = sheet
    for name, spec in sheet_specs().items():
        # A mistyped name of an optional sheet must not pass for its absence.
        if name in found or spec.is_required:
            continue
        for given in {
            plain_name(other): other for other, _ in named if plain_name(other) not in found
        }.values():
            if name in plain_name(given) or nearest(plain_name(given), [name], likeness=0.8):
                problem = f"there is no sheet of this name: is it {name}? then rename it"
                faults.append(Fault("error", given, None, None, None, problem, name))
    return found


def _files(folder: Path) -> list[tuple[str, object]]:
    if not folder.is_dir():
        raise SourceError(f"there is no folder or workbook {folder}")
    files = sorted(
        path
        for path in folder.iterdir()
        if path.suffix.lower() in SHEET_SUFFIXES
        and not path.name.startswith((".", "~"))
        and path.is_file()
    )
    if not files:
        raise SourceError(f"{folder} holds no sheets ({', '.join(SHEET_SUFFIXES)})")
    return [(path.stem, path) for path in files]


def _book_sheets(path: Path, faults: list[Fault]) -> list[tuple[str, object]]:
    if path.suffix.lower() not in BOOK_SUFFIXES:
        raise SourceError(
            f"{path} is neither a folder of sheets ({', '.join(SHEET_SUFFIXES)}) nor a workbook "
            f"({', '.join(BOOK_SUFFIXES)})"
        )
    from nwol_sql.workbooks import Workbook

    book = Workbook(path)
    for name in book.sheet_names:
        if name in book.hidden and plain_name(name) in sheet_specs():
            problem = "the sheet is hidden in the workbook; it is read all the same"
            faults.append(Fault("warning", plain_name(name), None, None, None, problem))
    return [(name, BookSheet(book, name)) for name in book.sheet_names]


def plain_name(text: object) -> str:
    """Return a sheet's or column's name without what does not matter: case and spaces."""
    return "_".join(str(text).strip(BLANKS).casefold().split())


def _label(sheet: object) -> str:
    if isinstance(sheet, Path):
        return sheet.name
    return repr(sheet.name) if isinstance(sheet, BookSheet) else "it"


class _Sheet:
    """One sheet on its way into its table."""

    def __init__(
        self, con: duckdb.DuckDBPyConnection, spec: SheetSpec, data: object, reading: Reading
    ) -> None:
        self.con = con
        self.spec = spec
        self.data = data
        self.reading = reading
        self.columns: set[str] = set()
        self.faults: list[Fault] = []
        self.places: dict[int, tuple[int, str]] = {}
        self.ragged: set[int] = set()
        self.is_broken = False

    def load(self) -> None:
        if isinstance(self.data, Path) and self.data.suffix.lower() in TEXT_SUFFIXES:
            try:
                records: Records = [
                    *read_records(self.data, self.reading.encoding, self.reading.delimiter)
                ]
            except UnreadableError as error:
                self._break(str(error))
                return
            self._load_records(records, is_text=True)
        elif isinstance(self.data, Path):
            path = literal(_without_patterns(str(self.data.resolve())))
            self._load_relation(f"read_parquet({path}, hive_partitioning = false)")
        elif isinstance(self.data, BookSheet):
            self._load_records(self.data.book.records(self.data.name), is_text=False)
        elif isinstance(self.data, Sequence):
            self._load_mappings(self.data)
        elif _is_pandas(self.data):
            self._load_pandas(self.data)
        else:
            self._load_frame()

    def _error(
        self, problem: str, row: int | None = None, column: str | None = None, value: object = None
    ) -> None:
        shown = None if value is None else str(value)
        self.faults.append(Fault("error", self.spec.name, row, column, shown, problem))

    def _warn(
        self, problem: str, row: int | None, column: str | None, guess: str | None = None
    ) -> None:
        self.faults.append(Fault("warning", self.spec.name, row, column, None, problem, guess))

    def _break(self, problem: str, row: int | None = None) -> None:
        self._error(problem, row)
        self.is_broken = True

    # Headings

    def _has_headings(self, headings: Sequence[object]) -> bool:
        names = {plain_name(heading) for heading in headings}
        choices = self.spec.one_of or [[]]
        return names.issuperset(self.spec.required) and any(map(names.issuperset, choices))

    def _positions(self, headings: Sequence[object], row: int | None) -> dict[str, int]:
        """Return where each known column stands; note doubled, unknown and missing headings."""
        positions: dict[str, int] = {}
        unknown: list[tuple[str, str]] = []
        for position, heading in enumerate(headings):
            name = plain_name(heading)
            if name in positions:
                self._break(f"the heading {name} is there twice", row)
            elif name in self.spec.columns:
                positions[name] = position
            elif name:
                guess = nearest(name, self.spec.columns, likeness=0.75)
                shown = str(heading).strip(BLANKS)
                self._warn("this column is unknown and is kept out", row, shown, guess)
                unknown.append((shown, name))
        for shown, problem in mistaken_columns(self.spec, positions, unknown):
            self._error(problem, row, shown)
        for problem in missing_columns(self.spec, positions):
            self._break(problem, row)
        self.columns = set(positions)
        return positions

    # Records: text files and workbooks

    def _load_records(self, records: Records, is_text: bool) -> None:
        if not records:
            if self.spec.is_required and not self.spec.unless:
                self._break(f"{_label(self.data)} is empty: its first row must hold the headings")
            return
        first = next(
            (
                n
                for n, (_, record) in enumerate(records[:HEADINGS_WITHIN])
                if self._has_headings(record)
            ),
            None,
        )
        if first is None and self._load_grid(records, is_text):
            return
        first = first or 0
        if first and self._grid(records[:first]) is not None:
            self._break(
                "a grid and a list stand in one sheet: keep one of the two", records[first][0]
            )
            return
        self._skip_titles(records[:first], sum(map(_is_filled, records[first][1])))
        heading_row, headings = records[first]
        if not is_text:
            headings = _without_blank_end(headings)
        positions = self._positions(headings, heading_row)
        rows = records[first + 1 :]
        self._check_width(rows, headings, is_text)
        if not rows:
            return
        columns = list(zip(*(record for _, record in rows), strict=True))
        for place, heading in enumerate(headings):
            if not plain_name(heading):
                self._note_unnamed(place, rows)
        numbers = [row for row, _ in rows]
        if not is_text:
            self._note_traps(positions, heading_row)
        self._insert(
            numbers,
            {
                name: (
                    [value.strip(BLANKS) or None for value in columns[place]]
                    if is_text
                    else self._texts(name, numbers, columns[place])
                )
                for name, place in positions.items()
            },
        )

    def _skip_titles(self, records: Records, width: int) -> None:
        """Note what stands above the headings; what may be data there is an error."""
        for row, record in records:
            if sum(map(_is_filled, record)) > min(2, width - 1):
                self._error("this row stands above the headings: move it below them", row)
                continue
            text = " ".join(str(cell).strip(BLANKS) for cell in record if cell != "").strip()
            self._warn(
                f"this row stands above the headings and is left out: {text[:60]!r}", row, None
            )

    def _check_width(self, rows: Records, headings: list[Any], is_text: bool) -> None:
        """Note rows that are wider or narrower than the headings, and make all of them as wide."""
        width = len(headings)
        for number, (row, record) in enumerate(rows):
            if len(record) == width:
                continue
            beyond = next(
                (n for n, cell in enumerate(record[width:], width) if _is_filled(cell)), None
            )
            if beyond is not None and is_text:
                self.ragged.add(row)
                self._error(
                    f"the row has {len(record)} values, but there are {width} headings", row
                )
            elif beyond is not None:
                self._error(
                    f"{_letters(beyond)}{row} stands under no heading", row, value=record[beyond]
                )
            elif len(record) < width:
                self.ragged.add(row)
                self._error(
                    f"the row has only {len(record)} of the {width} values that the headings ask for",
                    row,
                )
            rows[number] = (row, [*record, *[""] * width][:width])

    def _note_unnamed(self, place: int, rows: Records) -> None:
        first = next((row for row, record in rows if _is_filled(record[place])), None)
        if first is not None:
            letters = _letters(place)
            self._warn(
                f"column {letters} has values but no heading, and is kept out", first, letters
            )

    def _texts(self, name: str, rows: Sequence[int], cells: Sequence[Any]) -> list[str | None]:
        """Return a workbook's cells as text; note those that the spreadsheet may have changed."""
        texts: list[str | None] = []
        for row, cell in zip(rows, cells, strict=True):
            texts.append(self._text(name, row, cell))
        return texts

    def _text(self, name: str, row: int, cell: Any, place: str | None = None) -> str | None:
        if isinstance(cell, str):
            return cell.strip(BLANKS) or None
        from nwol_sql.workbooks import cell_text, kind_of

        kind = kind_of(cell)
        text = cell_text(cell)
        is_changed = (
            (name in CODES)
            or (name in NUMBERS and kind != "a number")
            or (name not in NUMBERS and name != "allied" and kind != "a number")
        )
        if is_changed:
            wanted = "a number" if name in NUMBERS else "text"
            self._error(
                f"the cell holds {kind}, not {wanted}: the spreadsheet may have changed what was "
                f"typed; format the cells as {wanted} and type it again",
                row,
                place or name,
                text,
            )
        return text

    def _note_traps(self, positions: Mapping[str, int], heading_row: int) -> None:
        """Note cells that look empty but are not, and merged ones, in the known columns."""
        assert isinstance(self.data, BookSheet)
        book, name = self.data.book, self.data.name
        column_at = {place: column for column, place in positions.items()}
        for (row, place), what in book.traps(name).items():
            if row >= heading_row - 1 and (place in column_at or row == heading_row - 1):
                column = column_at.get(place, _letters(place))
                self._error(f"{_letters(place)}{row + 1} holds {what}", row + 1, column)
        for (top, left), (bottom, right) in book.merged(name):
            covered = [column_at[n] for n in range(left, right + 1) if n in column_at]
            if bottom >= heading_row and covered:
                area = f"{_letters(left)}{top + 1}:{_letters(right)}{bottom + 1}"
                self._error(
                    f"the cells {area} are merged, so all but the first are empty; unmerge them and "
                    "fill each",
                    top + 1,
                    covered[0],
                )

    # Grids: alliances as a matrix, squares as a map

    def _grid(self, records: Records) -> int | None:
        """Return which record holds the names across, if the sheet is a matrix or map; or None."""
        if self.spec.name not in ("alliances", "squares"):
            return None
        best: tuple[int, int] | None = None
        for first, (_, across) in enumerate(records[:HEADINGS_WITHIN]):
            names = [self._axis_name(cell) for cell in across[1:]]
            down = [self._axis_name(record[0]) for _, record in records[first + 1 :] if record]
            if self.spec.name == "squares":
                # Most of the names must look like a map's; the others are errors then.
                fits = [
                    [name for name in side if self._is_axis_name(name)] for side in (names, down)
                ]
                filled = [[name for name in side if name] for side in (names, down)]
                is_grid = all(f and 2 * len(f) > len(n) for f, n in zip(fits, filled, strict=True))
                likeness = len(fits[0])
            else:
                likeness = len(set(filter(None, names)) & set(filter(None, down)))
                is_grid = likeness > 0
            if is_grid and (best is None or likeness > best[0]):
                best = (likeness, first)
        return None if best is None else best[1]

    def _load_grid(self, records: Records, is_text: bool) -> bool:
        """Load a sheet that is a grid with names across and down. Return False if it is none."""
        first = self._grid(records)
        if first is None:
            return False
        is_map = self.spec.name == "squares"
        names = [self._axis_name(cell) for cell in records[first][1]]
        rows = records[first + 1 :]
        self._skip_titles(records[:first], len([name for name in names if name]))
        places = self._check_axes(records[first], rows)
        if not is_text:
            width = max(len(record) for _, record in records)
            self._note_traps({_letters(n): n for n in range(width)}, records[first][0])
        load = self._load_map if is_map else self._load_matrix
        load(names, rows)
        if not is_map:
            self._keep_names(places)
        return True

    def _axis_name(self, cell: object) -> str:
        if isinstance(cell, float) and cell.is_integer():
            cell = int(cell)
        name = str(cell).strip(BLANKS)
        if self.spec.name == "squares" and re.fullmatch(r"-?[0-9]+([.,]0)?", name):
            return str(int(re.sub(r"[.,]0$", "", name)))
        return name

    def _is_axis_name(self, name: str) -> bool:
        form = r"[^\W\d_]\d" if self.reading.is_lettered else r"-?\d+"
        return self.spec.name != "squares" or bool(re.fullmatch(form, name))

    def _check_axes(
        self, across: tuple[int, list[Any]], rows: Records
    ) -> dict[str, tuple[int, str]]:
        """Note names that are missing, doubled or no names, across or down.

        Return where each name stands first: its row and column.
        """
        places: dict[str, tuple[int, str]] = {}
        filled = {
            n for _, record in rows for n, cell in enumerate(record) if n and _is_filled(cell)
        }
        cells = [
            (f"{_letters(n)}{across[0]}", across[0], cell, n in filled)
            for n, cell in enumerate(across[1])
            if n
        ]
        cells += [
            (f"{_letters(n)}{across[0]}", across[0], "", True)
            for n in sorted(filled)
            if n >= len(across[1])
        ]
        down = [
            (f"A{row}", row, record[0], any(map(_is_filled, record[1:]))) for row, record in rows
        ]
        for side in (cells, down):
            seen: dict[str, str] = {}
            for address, row, cell, has_values in side:
                name = self._axis_name(cell)
                if name in seen:
                    self._break(f"{name!r} is there twice: {seen[name]} and {address}", row)
                elif name and not self._is_axis_name(name):
                    what = "column" if side is cells else "row"
                    self._error(
                        f"{address} is no name of a {what} of the map; move it to another sheet",
                        row,
                        value=cell,
                    )
                elif name:
                    seen[name] = address
                    places.setdefault(name, (row, address.rstrip("0123456789")))
                elif has_values:
                    self._error(
                        f"{address} is empty, but there are values beside it: name them", row
                    )
        return places

    def _keep_names(self, places: Mapping[str, tuple[int, str]]) -> None:
        """Keep the names of a matrix that no mark stands beside, to be checked as the others are."""
        marked = self.con.execute(
            "select state_a from sheet_alliances union select state_b from sheet_alliances"
        ).fetchall()
        for name in sorted(places.keys() - {name for (name,) in marked}):
            number = len(self.places) + 1
            self.places[number] = places[name]
            self.con.execute("insert into matrix_names values ($1, $2)", [number, name])

    def _load_map(self, names: list[str], rows: Records) -> None:
        sign = "-" if self.reading.is_lettered else ","
        squares: list[str | None] = []
        nations: list[str | None] = []
        for row, record in rows:
            down = self._axis_name(record[0])
            for place in range(1, len(names)):
                if not (self._is_axis_name(down) and self._is_axis_name(names[place])):
                    continue
                cell = record[place] if place < len(record) else ""
                square = f"{names[place]}{sign}{down}"
                squares.append(square)
                nations.append(self._text("nation", row, cell, f"{_letters(place)} ({square})"))
                self.places[len(squares)] = (row, f"{_letters(place)} ({square})")
        self.columns = {"square", "nation"}
        self._insert(list(range(1, len(squares) + 1)), {"square": squares, "nation": nations})

    def _load_matrix(self, names: list[str], rows: Records) -> None:
        marks: dict[tuple[str, str], tuple[str, bool | None]] = {}
        order = {name: number for number, name in enumerate(names[1:])}
        for row, record in rows:
            down = self._axis_name(record[0])
            order.setdefault(down, len(order))
            for place, cell in enumerate(record[1 : len(names)], start=1):
                if not down or not names[place]:
                    continue
                text = str(cell).strip(BLANKS).casefold()
                address = f"{_letters(place)}{row}"
                if text in MARKS:
                    is_allied: bool | None = True
                elif text in NO_MARKS:
                    is_allied = False if text else None
                else:
                    self._error(
                        f"{address} is neither a mark (x, 1, yes, true) nor empty",
                        row,
                        _letters(place),
                        cell,
                    )
                    continue
                marks[down, names[place]] = (address, is_allied)
                if is_allied:
                    self.places[len(self.places) + 1] = (row, _letters(place))
        pairs = [pair for pair, (_, is_allied) in marks.items() if is_allied]
        # Marks on both sides of the diagonal: both halves are in use, and must agree.
        is_whole = any(order[a] < order[b] for a, b in pairs) and any(
            order[a] > order[b] for a, b in pairs
        )
        for a, b in pairs:
            other, is_allied = marks.get((b, a), ("", None))
            if a != b and other and not is_allied and (is_whole or is_allied is False):
                self._error(
                    f"the halves contradict each other: {marks[a, b][0]} says that {a} and {b} are "
                    f"allied, {other} does not",
                    int(marks[a, b][0].lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")),
                    marks[a, b][0].rstrip("0123456789"),
                )
        kept = [
            (number, a, b)
            for number, (a, b) in enumerate(pairs, start=1)
            if not ((b, a) in pairs[: number - 1] and a != b)
        ]
        self.columns = {"state_a", "state_b"}
        self._insert(
            [number for number, _, _ in kept],
            {"state_a": [a for _, a, _ in kept], "state_b": [b for _, _, b in kept]},
        )

    def _insert(self, rows: list[int], columns: Mapping[str, list[str | None]]) -> None:
        names = ["sheet_row", *columns]
        values = ["unnest($1::bigint[])"]
        values += [f"unnest(${number}::varchar[])" for number, _ in enumerate(columns, start=2)]
        self.con.execute(
            f"insert into sheet_{self.spec.name} ({', '.join(names)}) select {', '.join(values)}",
            [rows, *columns.values()],
        )

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
            name: [_mapped_text(row.get(headings[place])) for row in data]
            for name, place in positions.items()
        }
        self._insert(list(range(2, len(data) + 2)), columns)

    def _load_pandas(self, frame: Any) -> None:
        """Load a pandas frame value by value: DuckDB would guess mixed columns from a sample."""
        if not len(frame.columns) and not self.spec.is_required:
            return
        positions = self._positions([*map(str, frame.columns)], None)
        columns = {
            name: [_mapped_text(value) for value in frame.iloc[:, place]]
            for name, place in positions.items()
        }
        rows = [
            number
            for number in range(len(frame))
            if any(values[number] is not None for values in columns.values())
        ]
        if rows and not self.is_broken:
            self._insert(
                [row + 2 for row in rows],
                {name: [values[row] for row in rows] for name, values in columns.items()},
            )

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
            if self.is_broken or not positions:
                return
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


def _is_filled(cell: object) -> bool:
    return bool(cell.strip(BLANKS)) if isinstance(cell, str) else cell is not None


def _without_blank_end(cells: list[Any]) -> list[Any]:
    width = max((n for n, cell in enumerate(cells, start=1) if _is_filled(cell)), default=0)
    return cells[:width]


def _letters(place: int) -> str:
    from nwol_sql.workbooks import column_letters

    return column_letters(place)


def _is_pandas(data: object) -> bool:
    return type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "iloc")


def _mapped_text(value: Any) -> str | None:
    # The marks of a missing value in data frames: NaN, NaT and NA.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, float) and value != value:
        return None
    # A column of whole numbers with gaps is a column of fractions in pandas: 1.0 is 1.
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    # Text that no encoding can hold is shown as such, so that it is found wrong and not fatal.
    return str(value).encode("utf-8", "backslashreplace").decode().strip(BLANKS) or None


def _as_text(column: str, kind: str) -> str:
    text = f"nullif(trim(cast({identifier(column)} as varchar), $1), '')"
    # NaN is the data frames' mark of a missing number.
    return f"nullif({text}, 'nan')" if kind in ("DOUBLE", "FLOAT") else text


def _without_patterns(path: str) -> str:
    """Return a path in which DuckDB sees no pattern for several files."""
    return re.sub(r"([*?\[])", r"[\1]", path)
