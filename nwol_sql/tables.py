"""Prints query results as a table, CSV, JSON or Markdown."""

from __future__ import annotations

import csv
import io
import json
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from nwol_sql.errors import QueryError

if TYPE_CHECKING:
    import duckdb

Format = Literal["table", "csv", "json", "markdown"]
FORMATS: tuple[Format, ...] = ("table", "csv", "json", "markdown")

NUMERIC = ("INT", "DOUBLE", "FLOAT", "DECIMAL")


def formatted(relation: duckdb.DuckDBPyRelation, style: Format, width: int | None = None) -> str:
    """Return a query's result as text in one of FORMATS, ending with a line break.

    Empty values are empty in a table, CSV and Markdown, and null in JSON. A table's columns are
    wrapped at `width` characters.
    """
    if style == "json":
        return json.dumps(json_rows(relation), ensure_ascii=False, indent=2) + "\n"
    columns = relation.columns
    rows = relation.fetchall()
    texts = [[_text(value) for value in row] for row in rows]
    if style == "csv":
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerows([columns, *texts])
        return buffer.getvalue()
    is_numeric = [any(word in str(kind) for word in NUMERIC) for kind in relation.types]
    if style == "markdown":
        columns = [_escaped(column) for column in columns]
        texts = [[_escaped(value) for value in row] for row in texts]
    return grid(columns, texts, is_numeric, "pipe" if style == "markdown" else "simple", width)


def grid(
    columns: list[str],
    rows: list[list[str]],
    is_numeric: list[bool],
    style: str = "simple",
    width: int | None = None,
) -> str:
    """Return rows of text as an aligned table; numeric columns are aligned to the right."""
    import tabulate

    tabulate.PRESERVE_WHITESPACE = True
    return (
        tabulate.tabulate(
            rows,
            headers=columns,
            tablefmt=style,
            maxcolwidths=width,
            disable_numparse=True,  # codes such as 007 and 1E5 stay as they are
            colalign=["right" if numeric else "left" for numeric in is_numeric] if rows else None,
        )
        + "\n"
    )


def json_rows(relation: duckdb.DuckDBPyRelation) -> list[dict[str, object]]:
    """Return a query's result as objects that JSON can hold."""
    if len(set(relation.columns)) < len(relation.columns):
        raise QueryError("JSON cannot hold two columns of one name: tell them apart with as")
    return [
        {name: _json_value(value) for name, value in zip(relation.columns, row, strict=True)}
        for row in relation.fetchall()
    ]


def _json_value(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no NaN and no infinity
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_json_value(item) for item in value]
    if isinstance(value, dict):
        return {str(name): _json_value(item) for name, item in value.items()}
    return float(value) if isinstance(value, Decimal) else str(value)


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(_text(item) for item in value) + "]"
    return str(value)


def _escaped(text: str) -> str:
    """Return text as a Markdown table cell can hold it."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\r", "").replace("\n", "<br>")
