"""The main job on a bundled campaign: from sheets to verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nwol_sql.campaign import Campaign
from nwol_sql.errors import FileError
from nwol_sql.files import already_there
from nwol_sql.resources import folder as resource
from nwol_sql.tables import formatted

if TYPE_CHECKING:
    from pathlib import Path

# What the demo prints: a heading and a query each.
REPORT = (
    (
        "Squares by status, turn by turn",
        """
        select
            turn,
            count(*) filter (where status = 'owned') as owned,
            count(*) filter (where status = 'shared') as shared,
            count(*) filter (where status = 'neutral') as neutral,
            count(*) filter (where status = 'unowned') as unowned,
            count(*) filter (where status = 'outside') as outside,
            (select count(*) from ownership_changes as changes where changes.turn = by_turn.turn)
                as changed
        from ownership_by_turn as by_turn
        group by turn
        order by turn
        """,
    ),
    (
        "Squares by clause, at the latest turn",
        """
        select ownership.rule, ownership.status, count(*) as squares, rules.summary
        from ownership inner join rules on ownership.rule = rules.rule
        group by all
        order by rule
        """,
    ),
    (
        "Ties: squares of fragmented nations by how many cities are equally near",
        """
        select nation, tied_cities, count(*) as squares
        from ownership
        where tied_cities is not null
        group by all
        order by all
        """,
    ),
    (
        "Who holds most",
        """
        select holdings.state, states.name, holdings.squares_owned, holdings.squares_shared,
            holdings.cities_held
        from holdings inner join states on holdings.state = states.state
        order by squares_owned desc, squares_shared desc, state
        limit 12
        """,
    ),
)

EXPLAINED = {"nwol": "G7-V8", "amwol": "J2-Y4"}


def run(folder: Path, name: str = "nwol", force: bool = False) -> str:
    """Build the bundled campaign `name` in a folder and return a summary of its verdicts.

    Writes NAME.duckdb, ownership.csv, ownership.parquet and map.html.
    Raises FileError if one of them is there already and `force` is not given, or cannot be written.
    """
    database = folder / f"{name}.duckdb"
    exports = [folder / "ownership.csv", folder / "ownership.parquet"]
    page = folder / "map.html"
    for path in [database, *exports, page]:
        if path.exists() and not force:
            raise already_there(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"the folder {folder} cannot be made: {error.strerror}") from error
    with Campaign.build(resource("seeds") / name, name, database=database) as campaign:
        for path in exports:
            campaign.export("ownership", path, force)
        campaign.map(page, force=force)
        parts = []
        for heading, query in REPORT:
            parts.append(f"{heading}\n\n{formatted(campaign.sql(query), 'table', width=70)}")
        square = EXPLAINED[name]
        parts.append(
            f"Why: nwol-sql explain {square} -d {database}\n\n{campaign.explain(square)}\n"
        )
    return "\n".join(parts)
