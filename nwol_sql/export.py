"""Writes relations to files. The file's ending says the format; rows are ordered by the key, so that
two exports of the same campaign are the same to the byte."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import duckdb

from nwol_sql.errors import FileError, QueryError
from nwol_sql.files import replacing

if TYPE_CHECKING:
    from pathlib import Path

    from nwol_sql.campaign import Campaign

COPY_OPTIONS = {
    ".csv": "format csv, header true",
    ".tsv": r"format csv, header true, delimiter '\t'",
    ".parquet": "format parquet, compression zstd",
    ".json": "format json, array true",
}


def export_relation(campaign: Campaign, name: str, path: Path, force: bool = False) -> None:
    """Write a table or view to a file, ordered by its key: see Campaign.export."""
    from nwol_sql.schema import relations

    known = campaign.known_relation(name)
    described = relations().get(known)
    order = ", ".join(described.key) if described else "all"
    columns = ", ".join(described.columns) if described else "*"
    _copy(campaign, f"select {columns} from {_identifier(known)} order by {order}", path, force)


def export_query(campaign: Campaign, query: str, path: Path, force: bool = False) -> None:
    """Write a query's result to a file, in the query's own order or else ordered by every column.

    Raises QueryError if the query cannot be run or is no single SELECT, and FileError as
    Campaign.export does.
    """
    query = query.strip().rstrip(";")
    parsed = campaign.connection.execute(
        "select json_serialize_sql($1::varchar)", [query]
    ).fetchall()[0][0]
    tree = json.loads(parsed)
    if tree["error"]:
        raise QueryError(f"only a SELECT can be exported: {tree['error_message']}")
    if len(tree["statements"]) != 1:
        raise QueryError("only one SELECT can be exported at a time")
    modifiers = tree["statements"][0]["node"]["modifiers"]
    if not any(modifier["type"] == "ORDER_MODIFIER" for modifier in modifiers):
        query = f"from ({query}\n) order by all"
    _copy(campaign, query, path, force)


def _copy(campaign: Campaign, query: str, path: Path, force: bool) -> None:
    options = COPY_OPTIONS.get(path.suffix.lower())
    if options is None:
        endings = ", ".join(COPY_OPTIONS)
        raise FileError(f"{path} ends in none of {endings}, so its format is not known")
    try:
        with replacing(path, overwrite=force) as part:
            # One thread: how rows fall into Parquet's row groups must not depend on their number.
            campaign.connection.execute("set threads = 1")
            try:
                quoted = str(part).replace("'", "''")
                campaign.connection.execute(f"copy ({query}) to '{quoted}' ({options})")
            finally:
                campaign.connection.execute("reset threads")
    except duckdb.Error as error:
        raise QueryError(str(error).strip()) from error


def _identifier(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
