"""nwol-sql: which state owns a square, and by which clause, for campaigns on square grids."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nwol_sql.campaign import Campaign
    from nwol_sql.errors import NwolError, SheetError

__all__ = ["Campaign", "NwolError", "SheetError", "__version__"]

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    # Imported when asked for: DuckDB takes longer to import than most commands take to run.
    if name == "Campaign":
        from nwol_sql.campaign import Campaign

        return Campaign
    if name in ("NwolError", "SheetError"):
        from nwol_sql import errors

        return getattr(errors, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
