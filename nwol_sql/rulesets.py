"""Rulesets: a game's square names and its reading of the rules, as data in TOML files."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from nwol_sql.errors import RulesetError, unknown
from nwol_sql.resources import folder


@dataclass(frozen=True)
class Ruling:
    """One point on which the rule texts can be read in several ways, and its readings."""

    name: str
    summary: str
    values: Mapping[str, str]


@dataclass(frozen=True)
class Ruleset:
    """A game: how its squares are named and which reading of each ruling it takes.

    `column_letters` and `row_letters` are empty where squares are named by their coordinates.
    """

    name: str
    title: str
    column_letters: str
    row_letters: str
    rulings: Mapping[str, str]

    @property
    def is_lettered(self) -> bool:
        """Whether squares have names made of letters and digits, such as G7-V8."""
        return bool(self.column_letters)

    @property
    def column_names(self) -> list[str]:
        """The names of the map's columns, from west to east: ten for each letter."""
        return _axis_names(self.column_letters)

    @property
    def row_names(self) -> list[str]:
        """The names of the map's rows, from north to south: ten for each letter."""
        return _axis_names(self.row_letters)


def _axis_names(letters: str) -> list[str]:
    return [f"{letter}{digit}" for letter in letters for digit in range(10)]


@cache
def known_rulings() -> dict[str, Ruling]:
    """Return every ruling by its name, as sql/rulings.toml lists them."""
    data = _read(folder("sql") / "rulings.toml")
    return {name: Ruling(name, entry["summary"], entry["values"]) for name, entry in data.items()}


def bundled_rulesets() -> list[str]:
    """Return the names of the rulesets that come with nwol-sql."""
    return sorted(path.stem for path in (folder("sql") / "rulesets").glob("*.toml"))


def load_ruleset(name_or_path: str | Path) -> Ruleset:
    """Return a ruleset: a bundled one by its name, or a user's own by the path of its TOML file.

    Raises RulesetError where there is no such ruleset or its file is badly written.
    """
    name = str(name_or_path)
    bundled = folder("sql") / "rulesets" / f"{name}.toml"
    if name in bundled_rulesets():
        path = bundled
    elif name.endswith(".toml"):
        path = Path(name)
        if not path.is_file():
            raise RulesetError(f"there is no ruleset file {name}")
    else:
        hint = "; your own ruleset is named by the path of its .toml file"
        raise RulesetError(unknown("ruleset", name, bundled_rulesets()) + hint)
    return _parse(path)


def settle_rulings(
    ruleset: Ruleset, overrides: Mapping[str, str | bool] | None = None
) -> dict[str, str]:
    """Return the value of every ruling: the ruleset's, or what `overrides` says instead.

    Raises RulesetError for an unknown ruling or value.
    """
    if not isinstance(overrides, Mapping | None):
        raise RulesetError("rulings are given as a mapping, as in {'metric': 'chebyshev'}")
    settled = dict(ruleset.rulings)
    for name, value in (overrides or {}).items():
        settled[name] = _ruling_value(name, value)
    return settled


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise RulesetError(f"ruleset file {path} cannot be read: {error}") from error


def _parse(path: Path) -> Ruleset:
    data = _read(path)
    _known_keys(path, data, ["title", "squares", "rulings"])
    squares = data.get("squares", {})
    rulings = data.get("rulings", {})
    if not isinstance(squares, dict) or not isinstance(rulings, dict):
        raise RulesetError(f"{path.name}: squares and rulings are tables: [squares], [rulings]")
    _known_keys(path, squares, ["column_letters", "row_letters"], "squares.")
    settled = {
        name: _ruling_value(name, value, f"{path.name}: ") for name, value in rulings.items()
    }
    missing = [name for name in known_rulings() if name not in settled]
    if missing:
        raise RulesetError(f"{path.name}: [rulings] says nothing about {', '.join(missing)}")
    columns, rows = (squares.get(key, "") for key in ("column_letters", "row_letters"))
    for key, letters in (("column_letters", columns), ("row_letters", rows)):
        if not isinstance(letters, str) or (letters and not letters.isalpha()):
            raise RulesetError(f"{path.name}: squares.{key} is a text of letters")
        if len(set(letters.upper())) != len(letters):
            raise RulesetError(f"{path.name}: squares.{key} has a letter twice")
    if bool(columns) != bool(rows):
        raise RulesetError(f"{path.name}: give both column_letters and row_letters, or neither")
    return Ruleset(
        name=path.stem,
        title=str(data.get("title", path.stem)),
        column_letters=columns.upper(),
        row_letters=rows.upper(),
        rulings=settled,
    )


def _known_keys(path: Path, data: dict[str, Any], known: list[str], prefix: str = "") -> None:
    for key in data:
        if key not in known:
            raise RulesetError(f"{path.name}: " + unknown("setting", prefix + key, known))


def _ruling_value(name: str, value: object, where: str = "") -> str:
    rulings = known_rulings()
    if name not in rulings:
        raise RulesetError(where + unknown("ruling", name, list(rulings)))
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if text not in rulings[name].values:
        valid = ", ".join(rulings[name].values)
        raise RulesetError(f"{where}ruling {name} is one of {valid}, not {text!r}")
    return text
