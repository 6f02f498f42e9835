"""What sql/schema.toml and sql/sheets.toml say of relations and sheets."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from nwol_sql.resources import folder

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Relation:
    """A table or view: its columns with their descriptions, and the key that makes a row unique.

    `is_stored`: it is there only in a campaign whose geometry is stored.
    """

    name: str
    columns: dict[str, str]
    key: list[str]
    is_stored: bool


@dataclass(frozen=True)
class SheetSpec:
    """What a sheet must hold: see the head of sql/sheets.toml."""

    name: str
    columns: list[str]
    required: list[str]
    one_of: list[list[str]]
    is_required: bool
    unless: tuple[str, str] | None
    notes: dict[str, str]


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of one of the project's own TOML files."""
    with path.open("rb") as file:
        return tomllib.load(file)


@cache
def sheet_specs() -> dict[str, SheetSpec]:
    """Return every sheet of a campaign by its name, in the order in which faults are listed."""
    return {
        name: SheetSpec(
            name=name,
            columns=entry["columns"],
            required=entry.get("required", []),
            one_of=entry.get("one_of", []),
            is_required=entry.get("required_sheet", False),
            unless=(entry["unless"][0], entry["unless"][1]) if "unless" in entry else None,
            notes=entry["notes"],
        )
        for name, entry in read_toml(folder("sql") / "sheets.toml").items()
    }


@cache
def all_relations() -> dict[str, Relation]:
    """Return every described relation by its name, those of a stored geometry too."""
    data = read_toml(folder("sql") / "schema.toml")
    shared: dict[str, str] = data.pop("columns")
    result = {}
    for name, entry in data.items():
        own: dict[str, str] = entry.get("describe", {})
        columns = {column: own.get(column) or shared[column] for column in entry["columns"]}
        result[name] = Relation(name, columns, entry["key"], entry.get("is_stored", False))
        if "stored_as" in entry:
            table = entry["stored_as"]
            result[table] = Relation(table, columns, entry["key"], True)
    return result


@cache
def relations() -> dict[str, Relation]:
    """Return the described relations that every campaign has, by their names."""
    return {name: entry for name, entry in all_relations().items() if not entry.is_stored}
