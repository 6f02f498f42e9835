"""Writes workbooks: one relation as a table, or a campaign's results as a book to look at."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from nwol_sql.colors import ink as ink_on
from nwol_sql.colors import state_colors
from nwol_sql.errors import FileError
from nwol_sql.map.data import axis_names

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import duckdb
    import xlsxwriter
    from xlsxwriter.format import Format as CellFormat
    from xlsxwriter.worksheet import Worksheet

    from nwol_sql.campaign import Campaign

# What a worksheet can hold.
ROWS, COLUMNS, CHARACTERS = 1_048_576, 16_384, 32_767

# The campaign's own sheets, so that a results workbook can be built from again.
SHEETS = ("nations", "states", "squares", "cities", "control", "alliances", "units")

HEADINGS = {"bold": True, "bg_color": "#44546A", "font_color": "#FFFFFF", "valign": "vcenter"}


def write_relation(campaign: Campaign, query: str, title: str, part: Path) -> None:
    """Write a query's result as a table with filters and a frozen heading.

    Raises FileError if a worksheet cannot hold it, before anything is written.
    """
    with open_book(part) as book:
        _write_table(book, _sheet_title(title), campaign.sql(query))


def write_results(campaign: Campaign, part: Path) -> None:
    """Write a campaign's results: ownership, map, holdings, deployment, changes, rulings, and the
    sheets that it was built from.

    Raises FileError if a worksheet cannot hold one of them, before anything is written.
    """
    with open_book(part) as book:
        for title, query in RESULTS:
            if title == "Map":
                _write_map(book, campaign)
            else:
                _write_table(book, title, campaign.sql(query))
        for name in SHEETS:
            key = ", ".join(_keys(name))
            _write_table(book, name, campaign.sql(f"from {name} order by {key}"), is_source=True)


RESULTS = (
    (
        "Ownership",
        """
        select square, x, y, nation, terrain, status, owner, rule, tied_cities, cities, sides,
            squared_distance, distance
        from ownership order by y, x
        """,
    ),
    ("Map", ""),
    (
        "Holdings",
        """
        select holdings.state, states.name, holdings.nation, squares_owned, squares_shared, cities_held
        from holdings inner join states on holdings.state = states.state
        order by squares_owned desc, squares_shared desc, cities_held desc, holdings.state
        """,
    ),
    (
        "Deployment",
        """
        select state, basis, deployment.square, nation, terrain
        from deployment inner join squares on deployment.square = squares.square
        order by state, basis, y, x
        """,
    ),
    (
        "Changes",
        """
        select turn, square, old_status, status, old_owner, owner, old_rule, rule
        from ownership_changes where turn = (select turn from latest_turn) order by square
        """,
    ),
    ("Rulings", "select ruling, value, meaning, summary, ruleset, ruleset_value from rulings"),
)


def _keys(name: str) -> list[str]:
    from nwol_sql.schema import relations

    return relations()[name].key


class open_book:  # noqa: N801 - used as a function
    """A workbook that is closed at the end, and thrown away if anything goes wrong."""

    def __init__(self, part: Path) -> None:
        try:
            import xlsxwriter
        except ImportError as error:
            raise FileError(
                "to write workbooks, install XlsxWriter: pip install 'nwol-sql[excel]'"
            ) from error
        self._book = xlsxwriter.Workbook(
            str(part),
            {
                # Text stays text: =1+1, @x, links and digits too.
                "strings_to_formulas": False,
                "strings_to_numbers": False,
                "strings_to_urls": False,
            },
        )
        from datetime import datetime

        # The same campaign gives the same bytes.
        self._book.set_properties({"created": datetime(2000, 1, 1)})

    def __enter__(self) -> xlsxwriter.Workbook:
        return self._book

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._book.close()
        else:
            self._book.fileclosed = 1


def _sheet_title(name: str) -> str:
    return name[:31]


def _write_table(
    book: xlsxwriter.Workbook,
    title: str,
    relation: duckdb.DuckDBPyRelation,
    is_source: bool = False,
) -> None:
    columns = relation.columns
    rows = relation.fetchall()
    _refuse_too_large(title, len(rows), len(columns), rows)
    sheet = book.add_worksheet(title)
    text, whole, fraction = (
        _format(book, {"num_format": code, "valign": "top"}) for code in ("@", "0", "0.00")
    )
    kinds = [str(kind) for kind in relation.types]
    formats = [
        fraction if kind in ("DOUBLE", "FLOAT") else whole if "INT" in kind else text
        for kind in kinds
    ]
    heading = _format(book, HEADINGS)
    for place, column in enumerate(columns):
        values = [_shown(row[place]) for row in rows]
        width = max([len(column) + 4, *(len(value) + 1 for value in values[:2000])])
        sheet.set_column(place, place, min(width, 48), formats[place])
    for number, row in enumerate(rows, start=1):
        for place, value in enumerate(row):
            _write_cell(sheet, number, place, value, formats[place])
    sheet.freeze_panes(1, 0)
    if is_source or not rows:
        # Plain rows, as they were read; and a table must have a row.
        sheet.write_row(0, 0, columns, heading)
    else:
        sheet.add_table(
            0,
            0,
            len(rows),
            len(columns) - 1,
            {
                "name": "table_" + "".join(c if c.isalnum() else "_" for c in title),
                "style": "Table Style Light 1",
                "columns": [{"header": column, "header_format": heading} for column in columns],
            },
        )
    sheet.set_row(0, 20)
    sheet.set_landscape()
    sheet.fit_to_pages(1, 0)
    sheet.repeat_rows(0)


def _write_cell(sheet: Worksheet, row: int, column: int, value: Any, style: CellFormat) -> None:
    if value is None:
        sheet.write_blank(row, column, None, style)
    elif isinstance(value, bool):
        sheet.write_boolean(row, column, value, style)
    elif (isinstance(value, int) and abs(value) < 10**15) or (
        isinstance(value, float) and math.isfinite(value)
    ):
        sheet.write_number(row, column, value, style)
    else:
        sheet.write_string(row, column, _shown(value), style)


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return "; ".join(map(str, value))
    return str(value)


def _refuse_too_large(title: str, rows: int, columns: int, values: Sequence[Any] = ()) -> None:
    if rows + 1 > ROWS or columns > COLUMNS:
        raise FileError(
            f"{title} has {rows:,} rows and {columns:,} columns, but a worksheet holds {ROWS - 1:,} "
            f"and {COLUMNS:,}; export it as .csv or .parquet"
        )
    for row in values:
        for value in row:
            if isinstance(value, (str, list)) and len(_shown(value)) > CHARACTERS:
                raise FileError(
                    f"{title} has a text of more than {CHARACTERS:,} characters, which a cell cannot "
                    "hold; export it as .csv or .parquet"
                )


def _format(book: xlsxwriter.Workbook, options: dict[str, Any]) -> CellFormat:
    return book.add_format(options)


# How squares that nobody owns are told apart: a letter, and a pattern of XlsxWriter's.
STATUS_MARKS: dict[str, tuple[str, dict[str, Any]]] = {
    "shared": ("s", {"pattern": 14, "fg_color": "#9C5A50", "bg_color": "#F6D5D0"}),
    "neutral": ("n", {"pattern": 17, "fg_color": "#BFBFBF", "bg_color": "#FFFFFF"}),
    "unowned": ("u", {"pattern": 15, "fg_color": "#7F7F7F", "bg_color": "#BFBFBF"}),
    "outside": ("", {"bg_color": "#DCE9F5"}),
}


def _write_map(book: xlsxwriter.Workbook, campaign: Campaign) -> None:
    """Write the strategic map: a cell for each square, coloured by owner, with cities in bold."""
    squares = campaign.sql(
        """
        select square, x, y, status, owner, rule, cities, sides from ownership order by y, x
        """
    ).fetchall()
    if not squares:
        return
    left, right = min(row[1] for row in squares), max(row[1] for row in squares)
    top, bottom = min(row[2] for row in squares), max(row[2] for row in squares)
    _refuse_too_large("Map", bottom - top + 1, right - left + 2)
    colors = state_colors(campaign)
    cities = dict(campaign.sql("select square, city from cities").fetchall())
    summaries = dict(campaign.sql("select rule, summary from rules").fetchall())
    sheet = book.add_worksheet("Map")
    axis = _format(
        book,
        {"bold": True, "font_size": 7, "align": "center", "bg_color": "#EEEEEE", "num_format": "@"},
    )
    cache: dict[tuple[str, bool], CellFormat] = {}

    def style(status: str, owner: str | None, is_city: bool) -> CellFormat:
        key = (owner or status, is_city)
        if key not in cache:
            look = {"bg_color": colors[owner]} if owner else {**STATUS_MARKS[status][1]}
            ink = ink_on(colors[owner]) if owner else "#000000"
            look |= {"font_size": 6, "align": "center", "valign": "vcenter", "font_color": ink}
            if is_city:
                look |= {"bold": True, "border": 1, "font_size": 7}
            cache[key] = _format(book, look)
        return cache[key]

    sheet.write_string(0, 0, "", axis)
    columns: dict[int, str] = {}
    rows: dict[int, str] = {}
    for square, x, y, status, owner, rule, tied, sides in squares:
        column, row = x - left + 1, y - top + 1
        columns[x], rows[y] = axis_names(square)
        is_city = square in cities
        text = owner if owner else STATUS_MARKS[status][0]
        sheet.write_string(row, column, text, style(status, owner, is_city))
        if is_city:
            verdict = f"owned by {owner}" if owner else status
            lines = [f"{cities[square]} ({square})", f"{verdict}, rule {rule}", summaries[rule]]
            if tied:
                lines.append(f"Nearest: {tied}. Held by: {sides or 'nobody'}.")
            sheet.write_comment(
                row, column, "\n".join(lines), {"x_scale": 2.2, "y_scale": 1.6, "font_size": 9}
            )
    for x in range(left, right + 1):
        sheet.write_string(0, x - left + 1, columns.get(x, ""), axis)
    for y in range(top, bottom + 1):
        sheet.write_string(y - top + 1, 0, rows.get(y, ""), axis)
    sheet.set_column(0, 0, 4, axis)
    sheet.set_column_pixels(1, right - left + 1, 22)
    sheet.set_default_row(16.5)  # points: 22 pixels
    sheet.freeze_panes(1, 1)
    sheet.hide_gridlines(2)
    sheet.set_zoom(70)
    sheet.set_landscape()
    sheet.set_paper(8)  # A3
    sheet.fit_to_pages(1, 1)
    _write_legend(sheet, book, campaign, colors, style, right - left + 3)


def _write_legend(
    sheet: Worksheet,
    book: xlsxwriter.Workbook,
    campaign: Campaign,
    colors: dict[str, str],
    style: Any,
    column: int,
) -> None:
    bold, plain = _format(book, {"bold": True}), _format(book, {})
    counts = dict(
        campaign.sql(
            "select coalesce(owner, status), count(*) from ownership group by all"
        ).fetchall()
    )
    names = dict(campaign.sql("select state, coalesce(name, state) from states").fetchall())
    sheet.write_string(0, column, "Legend", bold)
    sheet.set_column(column, column, 8)
    sheet.set_column(column + 1, column + 1, 40)
    row = 1
    for state in sorted(colors, key=lambda state: (-counts.get(state, 0), state)):
        if counts.get(state):
            sheet.write_string(row, column, state, style("owned", state, False))
            sheet.write_string(row, column + 1, f"{names[state]}: {counts[state]} squares", plain)
            row += 1
    for status, (mark, _) in STATUS_MARKS.items():
        if counts.get(status):
            sheet.write_string(row, column, mark, style(status, None, False))
            sheet.write_string(row, column + 1, f"{status}: {counts[status]} squares", plain)
            row += 1
    sheet.write_string(row, column, "bold", style("outside", None, True))
    sheet.write_string(row, column + 1, "a city; its comment gives the verdict", plain)
