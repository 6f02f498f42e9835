"""The nearest cities of every square, all ties included, against those who could find them instead.

nwol-sql and the other queries start from the tables of a campaign's file, the geometry libraries from
points that are ready made (and GeoPandas once more from the columns x and y, as a campaign has them);
each ends with the names of every square and nearest city and their squared distance.
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

MINIMUM_AND_JOIN = """
    with pairs as {kept} ({pairs}),
    shortest as (select square, min(squared_distance) as squared_distance from pairs group by square)
    select pairs.square, pairs.city, pairs.squared_distance
    from pairs inner join shortest using (square, squared_distance)
"""

QUERIES = {
    "window rank": f"""
        select square, city, squared_distance from ({PAIRS})
        qualify rank() over (partition by square order by squared_distance) = 1
    """,
    # As it is usually written: DuckDB keeps what is named twice, here every pair.
    "minimum and join": MINIMUM_AND_JOIN.format(kept="", pairs=PAIRS),
    "minimum and join, pairs worked out twice": MINIMUM_AND_JOIN.format(
        kept="not materialized", pairs=PAIRS
    ),
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
    "minimum and join, pairs worked out twice": 2_000_000_000,
    "DuckDB NEAREST BY": 2_000_000_000,
}


class Field:
    """A map in a campaign, as tables and as points."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self.con = campaign.connection
        self.con.execute("create temp table city_places as from campaign.main.city_places")

    @classmethod
    def built(cls, size: Size, database: Path) -> Field:
        """Build the map's campaign as a file, with the answer as table known and in `answer`."""
        field = cls(Campaign.build(*sheets_of(size, database.parent), database=database))
        field.con.execute("create temp table known as from nearest_cities order by hash(square)")
        ((field.pairs, field.answer),) = field.con.execute(
            "select (select sum(n) from (select count(*) as n from squares inner join city_places "
            "using (nation) group by nation)), (select (count(*), sum(squared_distance)) from known)"
        ).fetchall()
        return field

    def lost_by(self, method: str) -> int:
        """Return how many pairs a query leaves out. Raises AssertionError if it finds wrong ones."""
        if method not in QUERIES:
            return 0
        job(self, method)()
        ((pairs, right),) = self.con.execute(
            "select (select count(*) from found), (select count(*) from found "
            "semi join known using (square, city, squared_distance))"
        ).fetchall()
        assert pairs == right, method
        return int(self.answer[0] - pairs)

    @cached_property
    def nations(self) -> list[Nation]:
        import numpy as np

        def arrays(query: str, nation: str) -> tuple[Any, Any]:
            columns = self.con.execute(f"{query} where nation = $1", [nation]).fetchnumpy()
            names = np.asarray(columns["name"], dtype=object)
            return names, np.column_stack([columns["x"], columns["y"]])

        named = self.con.execute("select distinct nation from city_places order by 1").fetchall()
        return [
            Nation(
                *arrays("select square as name, x, y from squares", nation),
                *arrays("select city as name, x, y from city_places", nation),
            )
            for (nation,) in named
        ]


@dataclass(frozen=True)
class Nation:
    """A nation's squares and cities: their names and places, as arrays, points and frames."""

    squares: Any
    places: Any
    cities: Any
    city_places: Any

    @cached_property
    def points(self) -> tuple[Any, Any]:
        import shapely

        return shapely.points(self.places), shapely.points(self.city_places)

    @cached_property
    def frames(self) -> tuple[Any, Any]:
        return self.framed(*self.points)

    def framed(self, squares: Any, cities: Any) -> tuple[Any, Any]:
        """Return the squares and the cities as frames, from their points."""
        import geopandas

        return (
            geopandas.GeoDataFrame({"square": self.squares}, geometry=squares),
            geopandas.GeoDataFrame({"city": self.cities}, geometry=cities),
        )

    def pairs(self, rows: Any, nearest: Any) -> tuple[Any, Any, Any]:
        """Return the names of squares and of cities, and their squared distances."""
        apart = self.places[rows] - self.city_places[nearest]
        return self.squares[rows], self.cities[nearest], (apart**2).sum(axis=1)


def with_scipy(nation: Nation) -> tuple[Any, Any, Any]:
    import numpy as np
    from scipy.spatial import cKDTree

    k = min(8, len(nation.cities))
    tree = cKDTree(nation.city_places)
    _, nearest = tree.query(nation.places, k=np.arange(1, k + 1), workers=2)
    apart = nation.places[:, None, :] - nation.city_places[nearest]
    distances = (apart**2).sum(axis=2)
    rows, ranks = np.nonzero(distances == distances[:, :1])
    return nation.squares[rows], nation.cities[nearest[rows, ranks]], distances[rows, ranks]


def with_shapely(nation: Nation) -> tuple[Any, Any, Any]:
    import shapely

    squares, cities = nation.points
    return nation.pairs(*shapely.STRtree(cities).query_nearest(squares, all_matches=True))


def with_geopandas(nation: Nation) -> tuple[Any, Any, Any]:
    return joined(nation, nation.frames)


def with_geopandas_from_columns(nation: Nation) -> tuple[Any, Any, Any]:
    import geopandas

    places = (nation.places, nation.city_places)
    return joined(nation, nation.framed(*(geopandas.points_from_xy(*each.T) for each in places)))


def joined(nation: Nation, frames: tuple[Any, Any]) -> tuple[Any, Any, Any]:
    import geopandas

    found = geopandas.sjoin_nearest(*frames)
    return nation.pairs(found.index.to_numpy(), found["index_right"].to_numpy())


LIBRARIES = {
    "GeoPandas sjoin_nearest, from x and y": with_geopandas_from_columns,
    "GeoPandas sjoin_nearest": with_geopandas,
    "Shapely STRtree.query_nearest": with_shapely,
    "SciPy cKDTree (k=8, two workers)": with_scipy,
}

METHODS = [*MOST_PAIRS, *LIBRARIES]
OURS, FLOOR = "nwol-sql", "floor: write the known answer"


def with_library(field: Field, method: str) -> list[tuple[Any, Any, Any]]:
    return [LIBRARIES[method](nation) for nation in field.nations]


def job(field: Field, method: str) -> Callable[[], object]:
    """Return what does the work by a method."""
    if method in LIBRARIES:
        return lambda: with_library(field, method)
    query = f"create or replace temp table found as {QUERIES[method]}"
    return lambda: field.con.execute(query)


def check(field: Field, method: str) -> None:
    """Raises AssertionError if a library finds other pairs than the program."""
    found = with_library(field, method)
    pairs = sum(len(distances) for _, _, distances in found)
    assert (pairs, sum(int(distances.sum()) for _, _, distances in found)) == field.answer, method


def sheets_of(size: Size, scratch: Path) -> tuple[Path, str]:
    """Return the folder of a map's sheets, made if need be, and its ruleset."""
    if not size.width:
        return folder("seeds") / "nwol", "nwol"
    source = scratch / f"{size.width}x{size.height}"
    if not source.exists():
        make_map(source, size.width, size.height, size.cities)
    return source, "grid"


def compare(key: str, scratch: Path, runs: int, memory: bool = True) -> str:
    """Return a Markdown table of all methods on one of SIZES."""
    size = SIZES[key]
    database, known = scratch / f"{key}.duckdb", scratch / f"{key}.known.parquet"
    field = Field.built(size, database)
    chosen = [name for name in METHODS if field.pairs <= MOST_PAIRS.get(name, field.pairs)]
    for name in LIBRARIES:
        check(field, name)
    times = medians({name: job(field, name) for name in [*chosen, FLOOR, OURS]}, runs)
    for name, taken in times.items():
        print(f"{size.name}: {name}: {seconds(taken)}", file=sys.stderr, flush=True)
    lost = {name: field.lost_by(name) for name in times}
    peaks = dict.fromkeys(times, "")
    if memory:
        field.con.execute(f"copy known to '{known}'")
        field.campaign.close()
        peaks = {name: peak_of(name, database, known) for name in times}
    rows = []
    for name in [*METHODS, FLOOR, OURS]:
        if name not in times:
            rows.append([name, "not run", "", ""])
            continue
        ratio = f"{times[name] / times[OURS]:.2f}"
        title = f"{name} (loses {lost[name]:,} tied cities)" if lost[name] else name
        rows.append([title, seconds(times[name]), ratio, peaks[name]])
    return table([size.name, "median", "against nwol-sql", "peak memory"], rows)


def peak_of(method: str, database: Path, known: Path) -> str:
    """Return how much memory a method takes beyond its tables or points, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.nearest", method, str(database), str(known)],
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    return done.stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description="Print the memory that one method takes.")
    parser.add_argument("method", choices=[*METHODS, FLOOR, OURS])
    parser.add_argument("database", type=Path)
    parser.add_argument("known", type=Path)
    options = parser.parse_args()
    field = Field(Campaign.open(options.database))
    if options.method in LIBRARIES:
        for nation in field.nations:
            _ = nation.frames
        field.campaign.close()
    else:
        # What is read from the file is kept in memory, as tables are.
        field.con.execute("select max(columns(*)) from squares").fetchall()
    if options.method == FLOOR:
        field.con.execute(f"create temp table known as from '{options.known}'")
    peak = peak_memory(job(field, options.method))
    print("" if peak is None else f"{peak:,} MB")


if __name__ == "__main__":
    main()
