"""How time and memory grow with the map: squares by the ten thousand up to the hundred million."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.maps import make_map
from benchmarks.timing import peak_memory, seconds, table
from nwol_sql import Campaign

# Width and height of the map; there is a city for every thousand squares.
SIDES = [100, 316, 1_000, 3_162, 10_000]


def measure(side: int, scratch: Path, memory_limit: str) -> dict[str, float | int | str | None]:
    """Build a map's campaign with its geometry stored, and time the steps: once, in this process."""
    source = scratch / f"{side}x{side}"
    cities = max(1, side * side // 1_000)
    if not source.exists():
        make_map(source, side, side, cities)
    database = scratch / f"{side}.duckdb"
    taken: dict[str, float | int | str | None] = {"squares": side * side, "cities": cities}

    def build() -> None:
        start = time.perf_counter()
        Campaign.build(
            source, "grid", database=database, materialize=True, memory_limit=memory_limit
        ).close()
        taken["build"] = time.perf_counter() - start

    taken["memory"] = peak_memory(build)
    taken["file"] = database.stat().st_size // 2**20
    with Campaign.open(database) as campaign:
        con = campaign.connection
        con.execute(f"set memory_limit = '{memory_limit}'")
        for name, query in (
            ("verdicts", "from tie_group_verdicts where turn = (select turn from latest_turn)"),
            ("ownership", "select count(*), count(distinct owner), max(distance) from ownership"),
        ):
            start = time.perf_counter()
            con.execute(query).fetchall()
            taken[name] = time.perf_counter() - start
    database.unlink()
    return taken


def grow(scratch: Path, most: int, memory_limit: str) -> str:
    """Return a Markdown table of maps from 10,000 squares to `most`, each in a process of its own."""
    rows = []
    for side in SIDES:
        if side * side > most:
            continue
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.growth", str(side), str(scratch), memory_limit],
            check=True,
            capture_output=True,
            encoding="utf-8",
        )
        taken = json.loads(done.stdout)
        rows.append(
            [
                f"{taken['squares']:,}",
                f"{taken['cities']:,}",
                seconds(taken["build"]),
                f"{taken['build'] / taken['squares'] * 1e6:.1f} s",
                "" if taken["memory"] is None else f"{taken['memory']:,} MB",
                f"{taken['file']:,} MB",
                seconds(taken["verdicts"]),
                seconds(taken["ownership"]),
            ]
        )
    head = [
        "squares",
        "cities",
        "build",
        "per million squares",
        "peak memory",
        "file",
        "judge tie groups",
        "read all ownership",
    ]
    return table(head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description="Print what one map takes, as JSON.")
    parser.add_argument("side", type=int)
    parser.add_argument("scratch", type=Path)
    parser.add_argument("memory_limit")
    options = parser.parse_args()
    print(json.dumps(measure(options.side, options.scratch, options.memory_limit)))


if __name__ == "__main__":
    main()
