"""What can go wrong, so that callers can tell a fault in the data from a fault in the question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a campaign's sheets.

    `row` is numbered as a spreadsheet shows it (the headings are usually row 1) and is None where
    the whole sheet is meant; `nearest` is the nearest valid spelling of `value`, if there is one.
    """

    severity: Severity
    sheet: str
    row: int | None
    column: str | None
    value: str | None
    problem: str
    nearest: str | None = None

    def __str__(self) -> str:
        place = f"sheet {self.sheet}"
        if self.row is not None:
            place += f", row {self.row}"
        if self.column is not None:
            place += f", column {self.column}"
        text = f"{self.severity}: {place}: "
        if self.value is not None:
            text += f"{self.value!r}: "
        text += self.problem
        if self.nearest is not None:
            text += f"; nearest: {self.nearest!r}"
        return text


class NwolError(Exception):
    """Base of every error that nwol_sql raises on purpose; its text is meant for the user."""


class SheetError(NwolError):
    """The sheets have errors; `faults` lists all of them, warnings too."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = list(faults)
        errors = sum(fault.severity == "error" for fault in self.faults)
        noun = "error" if errors == 1 else "errors"
        lines = [str(fault) for fault in self.faults if fault.severity == "error"]
        super().__init__(f"{errors} {noun} in the sheets:\n" + "\n".join(lines))


class SourceError(NwolError):
    """The campaign's folder, or a file in it, is not there or cannot be read."""


class RulesetError(NwolError):
    """A ruleset or ruling is unknown or badly written."""


class DatabaseError(NwolError):
    """The database file is missing, no campaign, or held open by another program."""


class QueryError(NwolError):
    """A query, relation, square, turn or state that was asked for does not exist or cannot be run."""


class FileError(NwolError):
    """A file that was to be written is there already, or cannot be written."""


NO_TURNS = "control and alliances are empty, so there is no turn"


def checked_text(what: str, value: object) -> str:
    """Return a text as it is. Raises QueryError if it is none."""
    if not isinstance(value, str):
        raise QueryError(f"{what} is a text, not {value!r}")
    return value


def nearest(value: str, valid: Sequence[str], likeness: float = 0.5) -> str | None:
    """Return the valid spelling nearest to `value`, or None if none is as like as that (0 to 1)."""
    from difflib import get_close_matches

    folded = {spelling.casefold(): spelling for spelling in valid}
    matches = get_close_matches(value.casefold(), folded, n=1, cutoff=likeness)
    return folded[matches[0]] if matches else None


def unknown(noun: str, value: str, valid: Sequence[str]) -> str:
    """Return the message for a name that is none of the valid ones."""
    guess = nearest(value, valid)
    hint = f"did you mean {guess!r}?" if guess else f"there are: {', '.join(valid)}"
    return f"there is no {noun} {value!r}; {hint}"


def duckdb_text(error: Exception) -> str:
    """Return what an error of DuckDB's says; what a view says with error() stands by itself."""
    text = str(error).strip()
    kind, _, own = text.partition(": ")
    return own if kind == "Invalid Input Error" and "geometry was stored" in own else text
