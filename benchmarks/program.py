"""The commands and views on the bundled campaigns, and questions on a map of a million squares."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from benchmarks.maps import make_map
from benchmarks.timing import medians, seconds, table
from nwol_sql import Campaign
from nwol_sql.export import export_results
from nwol_sql.resources import folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# The nearest-city query alone, as anyone would write it: the minimum, joined back on equality.
PLAIN_NEAREST = """
with pairs as (
    select s.square, c.city, (s.x - p.x) * (s.x - p.x) + (s.y - p.y) * (s.y - p.y) as squared_distance
    from squares s
    join squares p on s.nation = p.nation
    join cities c on c.square = p.square
),
shortest as (select square, min(squared_distance) as squared_distance from pairs group by square)
select pairs.square, pairs.city, pairs.squared_distance
from pairs join shortest using (square, squared_distance)
"""


def process(*arguments: object) -> Callable[[], object]:
    command = [sys.executable, *map(str, arguments)]
    return lambda: subprocess.run(command, check=True, capture_output=True)


def stored(campaign: Campaign, query: str) -> Callable[[], object]:
    statement = f"create or replace temp table answer as {query}"
    return lambda: campaign.connection.execute(statement)


def measure(scratch: Path, runs: int) -> str:
    """Return a Markdown table of what is compared, both medians, their ratio and its limit."""
    rows: list[list[object]] = []

    def compare(
        what: str, peer: Callable[[], object], ours: Callable[[], object], limit: float
    ) -> None:
        times = medians({"peer": peer, "ours": ours}, runs)
        ratio = times["ours"] / times["peer"]
        rows.append(
            [what, seconds(times["peer"]), seconds(times["ours"]), f"{ratio:.2f}", f"{limit:g}"]
        )

    database = scratch / "nwol.duckdb"
    imports = process("-c", "import duckdb, jinja2")
    cli = ("-m", "nwol_sql")
    build = process(*cli, "build", folder("seeds") / "nwol", "-d", database)
    query = process(*cli, "query", "select * from ownership where square = 'G7-V8'", "-d", database)
    compare("build NWOL, against a process that imports duckdb and jinja2", imports, build, 5)
    compare("query one square, against the same", imports, query, 2.5)
    page = process(*cli, "map", "-o", scratch / "nwol.html", "-d", database, "--force")
    compare("page of NWOL with all its turns, against its build", build, page, 3)
    with Campaign.open(database) as campaign:
        export_results(campaign, scratch / "nwol.xlsx", force=True)
    # The workbook holds the results too, which are left alone: more than a campaign's own sheets.
    book = process(*cli, "build", scratch / "nwol.xlsx", "-d", scratch / "book.duckdb")
    compare("build NWOL from a workbook, against CSV", build, book, 2.5)
    for name in ("nwol", "amwol"):
        with Campaign.build(folder("seeds") / name, name) as campaign:
            compare(
                f"ownership of {name.upper()}, against its nearest-city query alone",
                lambda: campaign.connection.execute(PLAIN_NEAREST).fetchall(),
                lambda: campaign.connection.execute("from ownership").fetchall(),
                3,
            )
    source = make_map(scratch / "million", 1_000, 1_000, 1_000, turns=1)
    with Campaign.build(source, "grid") as campaign:
        compare(
            "a million squares: ownership stored, against nearest cities stored",
            stored(campaign, "from nearest_cities"),
            stored(campaign, "from ownership"),
            2,
        )
    million = scratch / "million.duckdb"
    Campaign.build(source, "grid", database=million, materialize=True).close()
    with Campaign.open(million) as campaign:
        supposed = campaign.supposing(control={"city 5": "N0S1"})
        compare(
            "a million squares with stored geometry: a what-if's tie groups judged, against reading "
            "all squares' ownership once",
            stored(campaign, "from ownership"),
            lambda: supposed.connection.execute("from tie_group_verdicts").fetchall(),
            0.1,
        )
    return table(["what", "peer", "nwol-sql", "ratio", "limit"], rows)
