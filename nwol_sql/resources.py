"""Where the SQL templates and the bundled campaigns lie: beside the package in a checkout, inside it
in an installed wheel."""

from __future__ import annotations

from pathlib import Path


def folder(name: str) -> Path:
    """Return the folder `sql` or `seeds`."""
    package = Path(__file__).resolve().parent
    inside = package / name
    return inside if inside.is_dir() else package.parent / name
