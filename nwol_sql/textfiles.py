"""Reads .csv and .tsv files as records of text."""

from __future__ import annotations

import codecs
import csv
import io
from typing import TYPE_CHECKING

from nwol_sql.errors import QueryError, checked_text

if TYPE_CHECKING:
    from pathlib import Path

# What counts as space around a value: also what spreadsheets and web pages leave there.
BLANKS = " \t\r\n\v\f\u00a0\u2007\u202f\u200b\ufeff"

DELIMITERS = (",", ";", "\t")


class UnreadableError(Exception):
    """A file cannot be read as a sheet; the text says why and what to do."""


def checked_delimiter(delimiter: str) -> str:
    """Return a delimiter of values. Raises QueryError unless it is one character that can be one."""
    if len(checked_text("a delimiter", delimiter)) != 1 or delimiter in '"\r\n':
        raise QueryError(f"{delimiter!r} is not one character that can stand between values")
    return delimiter


def read_records(
    path: Path, encoding: str | None = None, delimiter: str | None = None
) -> list[tuple[int, list[str]]]:
    """Return the records that are not blank, each with its row number as a spreadsheet shows it.

    The encoding is UTF-8, or UTF-16 with a byte-order mark, unless it is given. The delimiter is
    what a first line `sep=` says, or else the one of comma, semicolon and tab that stands most often
    in the first line. Raises UnreadableError.
    """
    text = _decoded(path, encoding)
    if text[:4].lower() == "sep=" and len(text) > 4:
        # A line for Excel, which does not show it.
        delimiter = delimiter or text[4]
        text = text.partition("\n")[2]
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter or _delimiter(text), strict=True
    )
    records = []
    row = 0
    try:
        for row, record in enumerate(reader, start=1):
            if any(value.strip(BLANKS) for value in record):
                records.append((row, record))
    except csv.Error as error:
        raise UnreadableError(
            f"{path.name} cannot be read as CSV after row {row}: {error} (is a quotation mark left "
            "open, or not doubled inside quotes?)"
        ) from error
    return records


def _decoded(path: Path, encoding: str | None) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UnreadableError(f"{path.name} cannot be read: {error.strerror}") from error
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"  # a mark at the start is surer than what was said
    elif data.startswith(codecs.BOM_UTF8):
        encoding = "utf-8-sig"
    try:
        text = data.decode(encoding or "utf-8")
    except LookupError as error:
        raise UnreadableError(f"there is no encoding {encoding!r}") from error
    except UnicodeError as error:
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        line = data.count(b"\n", 0, start) + 1
        named = "UTF-8" if encoding in (None, "utf-8-sig") else encoding
        raise UnreadableError(
            f"{path.name} is not {named}: byte 0x{data[start]:02X} in line {line}; save it as CSV "
            "UTF-8, or say what it is with --encoding (cp1252, latin-1, …)"
        ) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise UnreadableError(
            f"{path.name} is no text: there is a NUL character in line {line} (if it is UTF-16 "
            "without a byte-order mark, say --encoding utf-16-le or utf-16-be)"
        )
    return text


def _delimiter(text: str) -> str:
    """Return the delimiter of the first line that is not blank."""
    lines = io.StringIO(text, newline=None)
    line = next((line for line in lines if line.strip(BLANKS + ',;"')), "")
    return max(DELIMITERS, key=line.count)
