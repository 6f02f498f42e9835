"""Writes relations to files. The file's ending says the format; rows are ordered by the key, so
that two exports of the same campaign are the same to the byte."""

from __future__ import annotations

import codecs
import re
import shutil
from typing import TYPE_CHECKING

import duckdb

from nwol_sql.errors import FileError, QueryError, duckdb_text
from nwol_sql.files import replacing
from nwol_sql.quoting import identifier, literal

if TYPE_CHECKING:
    from pathlib import Path

    from nwol_sql.campaign import Campaign

COPY_OPTIONS = {
    ".csv": "format csv, header true",
    ".tsv": r"format csv, header true, delimiter '\t'",
    ".parquet": "format parquet, compression zstd",
    ".json": "format json, array true",
}
WORKBOOK = ".xlsx"
ENDINGS = (*COPY_OPTIONS, WORKBOOK)

# What a spreadsheet takes for a formula, if a CSV value begins with it.
FORMULA_SIGNS = r"^[=+\-@\t\r]"

# Types of numbers, whose minus sign begins no formula.
NUMBERS = ("int", "decimal", "double", "float")


def export_relation(
    campaign: Campaign,
    name: str,
    path: Path,
    force: bool = False,
    excel: bool = False,
    delimiter: str | None = None,
) -> None:
    """Write a table or view to a file, ordered by its key: see Campaign.export."""
    from nwol_sql.schema import all_relations

    known = campaign.known_relation(name)
    described = all_relations().get(known)
    order = ", ".join(described.key) if described else "all"
    columns = ", ".join(described.columns) if described else "*"
    query = f"select {columns} from {identifier(known)} order by {order}"
    _write(campaign, query, known, path, force, excel, delimiter)


def export_query(
    campaign: Campaign,
    query: str,
    path: Path,
    force: bool = False,
    excel: bool = False,
    delimiter: str | None = None,
) -> None:
    """Write a query's result to a file, in the query's own order or else ordered by every column.

    Raises QueryError if the query cannot be run or is no single SELECT or its kin, and FileError as
    Campaign.export does.
    """
    from nwol_sql.asking import question

    try:
        asked = question(campaign.connection, query)
    except duckdb.Error as error:
        raise QueryError(duckdb_text(error)) from error
    if asked.is_explanation:
        raise QueryError("EXPLAIN gives no table that could be exported")
    # As a subquery it keeps its order, and columns of one name are told apart.
    query = f"from (\n{asked.text}\n)" + ("" if asked.is_ordered else " order by all")
    _write(campaign, query, "Result", path, force, excel, delimiter)


def export_results(campaign: Campaign, path: Path, force: bool = False) -> None:
    """Write the campaign's results, and the sheets it was built from, to one workbook.

    Raises FileError as Campaign.export does, or if XlsxWriter is not installed.
    """
    from nwol_sql.xlsx import write_results

    if path.suffix.lower() != WORKBOOK:
        raise FileError(f"{path} does not end in {WORKBOOK}: results are written to a workbook")
    with replacing(path, overwrite=force) as part:
        write_results(campaign, part)


def _write(
    campaign: Campaign,
    query: str,
    title: str,
    path: Path,
    force: bool,
    excel: bool,
    delimiter: str | None,
) -> None:
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise FileError(f"{path} ends in none of {', '.join(ENDINGS)}, so its format is not known")
    refuse_own_database(campaign, path)
    if (excel or delimiter) and ending != ".csv":
        raise FileError(f"{path} is no .csv file: --excel and --delimiter are for those only")
    with replacing(path, overwrite=force) as part:
        try:
            if ending == WORKBOOK:
                from nwol_sql.xlsx import write_relation

                write_relation(campaign, query, title, part)
            elif excel:
                _copy_for_excel(campaign, query, part, delimiter or ",")
            else:
                options = COPY_OPTIONS[ending]
                if delimiter:
                    options += f", delimiter {literal(delimiter)}"
                _copy(campaign, query, part, options)
        except duckdb.Error as error:
            raise QueryError(duckdb_text(error)) from error


def refuse_own_database(campaign: Campaign, path: Path) -> None:
    """Raise FileError if a file that is to be written is the campaign's database."""
    ((own,),) = campaign.connection.execute(
        "select path from duckdb_databases() where database_name = 'campaign'"
    ).fetchall()
    if own and path.exists() and path.samefile(own):
        raise FileError(f"{path} is the campaign's own database")


def _copy(campaign: Campaign, query: str, part: Path, options: str) -> None:
    # One thread: how rows fall into Parquet's row groups must not depend on their number.
    campaign.connection.execute("set threads = 1")
    try:
        campaign.connection.execute(f"copy (\n{query}\n) to {literal(str(part))} ({options})")
    finally:
        campaign.connection.execute("reset threads")


def _guarded(text: str) -> str:
    return f"'{text}" if re.match(FORMULA_SIGNS, text) else text


def _copy_for_excel(campaign: Campaign, query: str, part: Path, delimiter: str) -> None:
    """Write CSV with a byte-order mark, and an apostrophe before text that looks like a formula."""
    relation = campaign.connection.sql(query)
    columns = []
    for name, kind in zip(relation.columns, relation.types, strict=True):
        column, heading = identifier(name), identifier(_guarded(name))
        if not any(number in kind.id for number in NUMBERS):
            text = f"cast({column} as varchar)"
            column = (
                f"case when regexp_matches({text}, {literal(FORMULA_SIGNS)}) "
                f"then chr(39) || {text} else {text} end"
            )
        columns.append(f"{column} as {heading}")
    plain = part.with_name("plain.csv")
    options = f"format csv, header true, delimiter {literal(delimiter)}"
    _copy(campaign, f"select {', '.join(columns)} from (\n{query}\n)", plain, options)
    with plain.open("rb") as source, part.open("wb") as target:
        target.write(codecs.BOM_UTF8)
        shutil.copyfileobj(source, target)
