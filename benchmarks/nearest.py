"""The nearest cities of every square, all ties included, against those who could find them instead.

The geometry libraries start from points that are ready made, and nwol-sql and the other queries from
DuckDB tables; each ends with every pair of a square and a nearest city and their squared distance.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.maps import make_map
from benchmarks.timing import medians, peak_memory, seconds, table
from nwol_sql import Campaign
from nwol_sql.resources import folder

if TYPE_CHECKING:
    from collections.abc import Callable

RUNS = 5


@dataclass(frozen=True)
class Size:
    """A map to be searched: one nation without sea, or the bundled campaign."""

    name: str
    width: int
    height: int
    cities: int


SIZES = {
    "nwol": Size("NWOL", 0, 0, 0),
    "500x400": Size("500 × 400 squares, 1,000 cities", 500, 400, 1_000),
    "1000x1000": Size("1,000 × 1,000 squares, 1,000 cities", 1000, 1000, 1_000),
    "4000x4000": Size("4,000 × 4,000 squares, 10,000 cities", 4000, 4000, 10_000),
}

PAIRS = """
    select
        squares.square,
        cities.city,
        (squares.x - cities.x) * (squares.x - cities.x) + (squares.y - cities.y) * (squares.y - cities.y)
            as squared_distance
    from squares
    inner join city_places as cities on squares.nation = cities.nation
"""

QUERIES = {
    "window rank": f"""
        select square, city, squared_distance from ({PAIRS})
        qualify rank() over (partition by square order by squared_distance) = 1
    """,
    "minimum and join": f"""
        with pairs as not materialized ({PAIRS}),
        shortest as (select square, min(squared_distance) as squared_distance from pairs group by square)
        select pairs.square, pairs.city, pairs.squared_distance
        from pairs inner join shortest using (square, squared_distance)
    """,
    # Takes one city for each square: the other cities of a tie are lost.
    "DuckDB NEAREST BY": """
        select
            squares.square,
            cities.city,
            (squares.x - cities.x) * (squares.x - cities.x)
            + (squares.y - cities.y) * (squares.y - cities.y) as squared_distance
        from (select square, x, y, nation from squares where nation is not null) as squares
        inner join city_places as cities nearest 1 by distance
            case when squares.nation = cities.nation then
                (squares.x - cities.x) * (squares.x - cities.x)
                + (squares.y - cities.y) * (squares.y - cities.y)
            end
    """,
    "floor: write the known answer": """
        select squares.square, known.city, known.squared_distance
        from squares inner join known using (square)
    """,
    "nwol-sql": "select square, city, squared_distance from nearest_cities",
}

# Beyond so many pairs of a square and a city, a method would take hours.
MOST_PAIRS = {
    "window rank": 250_000_000,
    "minimum and join": 2_000_000_000,
    "DuckDB NEAREST BY": 2_000_000_000,
}


class Field:
    """A map in memory, as tables and as points."""

    def __init__(self, size: Size, scratch: Path) -> None:
        if size.width:
            source = scratch / f"{size.width}x{size.height}"
            if not source.exists():
                make_map(source, size.width, size.height, size.cities)
            self.campaign = Campaign.build(source, "grid")
        else:
            self.campaign = Campaign.build(folder("seeds") / "nwol", "nwol")
        self.con = self.campaign.connection
        self.con.execute("create temp table city_places as from campaign.main.city_places")
        self.con.execute("create temp table known as from nearest_cities order by hash(square)")
        ((self.pairs, self.answer),) = self.con.execute(
            "select (select sum(n) from (select count(*) as n from squares inner join city_places "
            "using (nation) group by nation)), (select (count(*), sum(squared_distance)) from known)"
        ).fetchall()

    def arrays(self, relation: str) -> dict[str, Any]:
        query = f"select nation, x, y from {relation} where nation is not null"
        return dict(self.con.execute(query).fetchnumpy())

    def lost_by(self, method: str) -> int:
        """Return how many pairs a query leaves out. Raises AssertionError if it finds wrong ones."""
        if method not in QUERIES:
            return 0
        found = f"with found as ({QUERIES[method]}) select count(*) from found"
        ((pairs, right),) = self.con.execute(
            f"select ({found}), ({found} semi join known using (square, city, squared_distance))"
        ).fetchall()
        assert pairs == right, method
        return int(self.answer[0] - pairs)

    @cached_property
    def nations(self) -> list[tuple[Any, Any]]:
        """The places of squares and of cities, as arrays of x and y, nation by nation."""
        import numpy as np

        squares, cities = self.arrays("squares"), self.arrays("city_places")
        places = []
        for nation in np.unique(np.asarray(cities["nation"], dtype=str)):
            of_squares = np.asarray(squares["nation"], dtype=str) == nation
            of_cities = np.asarray(cities["nation"], dtype=str) == nation
            places.append(
                tuple(
                    np.column_stack([sheet["x"][chosen], sheet["y"][chosen]])
                    for sheet, chosen in ((squares, of_squares), (cities, of_cities))
                )
            )
        return places

    @cached_property
    def points(self) -> list[tuple[Any, Any]]:
        import shapely

        return [tuple(shapely.points(xy) for xy in pair) for pair in self.nations]

    @cached_property
    def frames(self) -> list[tuple[Any, Any]]:
        import geopandas

        return [
            tuple(geopandas.GeoDataFrame(geometry=points) for points in pair)
            for pair in self.points
        ]


def squared(squares: Any, cities: Any) -> Any:
    return ((squares - cities) ** 2).sum(axis=1)


def with_scipy(field: Field) -> tuple[int, int]:
    import numpy as np
    from scipy.spatial import cKDTree

    count = total = 0
    for squares, cities in field.nations:
        k = min(8, len(cities))
        _, nearest = cKDTree(cities).query(squares, k=np.arange(1, k + 1), workers=2)
        rows = np.repeat(np.arange(len(squares)), k)
        distances = squared(squares[rows], cities[nearest.ravel()]).reshape(-1, k)
        tied = distances == distances[:, :1]
        count += int(tied.sum())
        total += int(distances[tied].sum())
    return count, total


def with_shapely(field: Field) -> tuple[int, int]:
    import shapely

    count = total = 0
    for (squares, cities), (xy, city_xy) in zip(field.points, field.nations, strict=True):
        rows, nearest = shapely.STRtree(cities).query_nearest(squares, all_matches=True)
        distances = squared(xy[rows], city_xy[nearest])
        count += len(distances)
        total += int(distances.sum())
    return count, total


def with_geopandas(field: Field) -> tuple[int, int]:
    import geopandas

    count = total = 0
    for (squares, cities), (xy, city_xy) in zip(field.frames, field.nations, strict=True):
        joined = geopandas.sjoin_nearest(squares, cities)
        distances = squared(xy[joined.index.to_numpy()], city_xy[joined["index_right"].to_numpy()])
        count += len(distances)
        total += int(distances.sum())
    return count, total


LIBRARIES = {
    "GeoPandas sjoin_nearest": with_geopandas,
    "Shapely STRtree.query_nearest": with_shapely,
    "SciPy cKDTree (k=8, two workers)": with_scipy,
}

METHODS = ["window rank", "minimum and join", "DuckDB NEAREST BY", *LIBRARIES]
OURS, FLOOR = "nwol-sql", "floor: write the known answer"


def job(field: Field, method: str) -> Callable[[], object]:
    """Return what does the work by a method, after checking its answer once."""
    if method in LIBRARIES:
        found = LIBRARIES[method](field)
        assert found == field.answer, (method, found, field.answer)
        return lambda: LIBRARIES[method](field)
    query = f"create or replace temp table found as {QUERIES[method]}"
    return lambda: field.con.execute(query)


def compare(size: Size, scratch: Path, runs: int, memory: bool = True) -> str:
    """Return a Markdown table of all methods on a map."""
    field = Field(size, scratch)
    chosen = [name for name in METHODS if field.pairs <= MOST_PAIRS.get(name, field.pairs)]
    times = medians({name: job(field, name) for name in [*chosen, FLOOR, OURS]}, runs)
    for name, taken in times.items():
        print(f"{size.name}: {name}: {seconds(taken)}", file=sys.stderr, flush=True)
    rows = []
    for name in [*METHODS, FLOOR, OURS]:
        if name not in times:
            rows.append([name, "not run", "", ""])
            continue
        ratio = f"{times[name] / times[OURS]:.2f}"
        peak = peak_of(size, name, scratch) if memory else ""
        lost = field.lost_by(name)
        title = f"{name} (loses {lost:,} tied cities)" if lost else name
        rows.append([title, seconds(times[name]), ratio, peak])
    return table([size.name, "median", "against nwol-sql", "peak memory"], rows)


def peak_of(size: Size, method: str, scratch: Path) -> str:
    """Return how much memory a method takes beyond its tables and points, in a process of its own."""
    name = next(name for name, known in SIZES.items() if known == size)
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.nearest", name, method, str(scratch)],
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    return done.stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description="Print the memory that one method takes.")
    parser.add_argument("size", choices=SIZES)
    parser.add_argument("method", choices=[*METHODS, FLOOR, OURS])
    parser.add_argument("scratch", type=Path)
    options = parser.parse_args()
    field = Field(SIZES[options.size], options.scratch)
    if options.method in LIBRARIES:
        _ = field.nations, field.points, field.frames
        work = lambda: LIBRARIES[options.method](field)  # noqa: E731
    else:
        work = job(field, options.method)
    peak = peak_memory(work)
    print("" if peak is None else f"{peak:,} MB")


if __name__ == "__main__":
    main()
