"""Measures nwol-sql against its peers: `make bench`.

Every figure is a ratio of medians taken in turn within one run, because timings on shared machines
drift: compare nothing across runs.
"""

from __future__ import annotations

import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from nwol_sql import Campaign
from nwol_sql.export import export_results
from nwol_sql.resources import folder

if TYPE_CHECKING:
    from collections.abc import Callable

RUNS = 9

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


def medians(peer: Callable[[], object], ours: Callable[[], object]) -> tuple[float, float]:
    """Time two jobs by turns and return the median of each, in seconds."""
    times: tuple[list[float], list[float]] = ([], [])
    for run in range(RUNS + 1):
        for job, taken in zip((peer, ours), times, strict=True):
            start = time.perf_counter()
            job()
            if run:  # the first of each warms up
                taken.append(time.perf_counter() - start)
    return statistics.median(times[0]), statistics.median(times[1])


def process(*arguments: object) -> Callable[[], object]:
    command = [sys.executable, *map(str, arguments)]
    return lambda: subprocess.run(command, check=True, capture_output=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        rows = list(measure(Path(scratch)))
    print(f"DuckDB {duckdb.__version__}, Python {platform.python_version()}, {platform.machine()}")
    print(f"medians of {RUNS} runs, taken by turns\n")
    print(f"{'what':<66} {'peer':>8} {'ours':>8} {'ratio':>6} {'limit':>6}")
    for what, (peer, ours), limit in rows:
        print(f"{what:<66} {peer:>7.3f}s {ours:>7.3f}s {ours / peer:>6.2f} {limit:>6}")


def measure(scratch: Path) -> list[tuple[str, tuple[float, float], float]]:
    database = scratch / "nwol.duckdb"
    imports = process("-c", "import duckdb, jinja2")
    cli = ("-m", "nwol_sql")
    build = process(*cli, "build", folder("seeds") / "nwol", "-d", database)
    query = process(*cli, "query", "select * from ownership where square = 'G7-V8'", "-d", database)
    rows = [
        (
            "build NWOL, against a process that imports duckdb and jinja2",
            medians(imports, build),
            5.0,
        ),
        ("query one square, against the same", medians(imports, query), 2.5),
    ]
    with Campaign.open(database) as campaign:
        export_results(campaign, scratch / "nwol.xlsx")
    # The workbook holds the results too, which are left alone: more than a campaign's own sheets.
    book = process(*cli, "build", scratch / "nwol.xlsx", "-d", scratch / "book.duckdb")
    rows.append(("build NWOL from a workbook, against CSV", medians(build, book), 2.5))
    for name in ("nwol", "amwol"):
        with Campaign.build(folder("seeds") / name, name) as campaign:
            con = campaign.connection
            times = medians(
                lambda con=con: con.execute(PLAIN_NEAREST).fetchall(),
                lambda con=con: con.execute("select * from ownership").fetchall(),
            )
        rows.append(
            (f"ownership of {name.upper()}, against its nearest-city query alone", times, 3.0)
        )
    return rows


if __name__ == "__main__":
    main()
