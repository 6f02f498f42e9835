"""The tile search against brute force: tiles change how nearest cities are found, never which."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nwol_sql import Campaign
from nwol_sql.errors import QueryError
from nwol_sql.tiles import checked_tile_sizes, choose_tile_sizes
from tests.judge import Judge, World

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

Place = tuple[int, int]

METRICS = ("euclidean", "manhattan", "chebyshev")

# Forced small, so that maps of a few squares have many tiles, in one to four sizes.
SIZES = ((1,), (2,), (3,), (4, 2), (6, 3, 1), (8, 4, 2, 1), (9, 3), (1024, 256, 64, 16, 4))


@cache
def searched(metric: str, sizes: tuple[int, ...]) -> Campaign:
    """A campaign whose views search by tiles, to be filled by `put`."""
    kinds = dict.fromkeys("AB", "fragmented")
    sheets = World(kinds, {"A1": "A", "B1": "B"}, {(0, 0): "A"}, {"a": (0, 0)}).sheets()
    del sheets["alliances"], sheets["units"]
    sheets["control"] = [{"city": "a", "state": "A1"}]
    return Campaign.build(sheets, "grid", {"metric": metric}, tile_sizes=sizes)


def clear(con: duckdb.DuckDBPyConnection) -> None:
    for table in ("control", "cities", "squares"):
        con.execute(f"delete from {table}")


def put(campaign: Campaign, world: World) -> None:
    """Have the campaign hold the world's squares and cities, and no others."""
    con = campaign.connection
    clear(con)
    squares = [(f"{x},{y}", x, y, nation) for (x, y), nation in world.squares.items()]
    con.executemany("insert into squares (square, x, y, nation) values ($1, $2, $3, $4)", squares)
    cities = [(city, f"{x},{y}") for city, (x, y) in world.cities.items()]
    if cities:
        con.executemany("insert into cities (city, square) values ($1, $2)", cities)


def assert_nearest(campaign: Campaign, world: World, metric: str) -> None:
    world.rulings["metric"] = metric
    judge = Judge(world)
    nearest = {
        place: judge.nearest(place) for place, nation in world.squares.items() if nation is not None
    }
    assert sorted(campaign.sql("from nearest_cities").fetchall()) == sorted(
        (f"{x},{y}", city, distance)
        for (x, y), (distance, cities) in nearest.items()
        for city in cities
    )
    grouped = campaign.sql(
        "select square, cities, nation, tied_cities, squared_distance "
        "from square_tie_groups inner join tie_groups using (tie_group, nation)"
    ).fetchall()
    assert sorted(grouped) == sorted(
        (f"{x},{y}", list(cities), world.squares[x, y], len(cities), distance)
        for (x, y), (distance, cities) in nearest.items()
        if cities
    )
    assert sorted(campaign.sql("from runner_up_cities").fetchall()) == sorted(
        (f"{x},{y}", city, distance)
        for (x, y) in nearest
        for distance, city in next_cities(judge, (x, y))
    )


def next_cities(judge: Judge, place: Place) -> list[tuple[int, str]]:
    """The cities of the place's nation that come next after its nearest, with their squared distance."""
    shortest, _ = judge.nearest(place)
    world = judge.world
    farther = [
        (distance, city)
        for city, where in world.cities.items()
        if world.squares[where] == world.squares[place]
        and (distance := judge.distance(place, where)) > shortest
    ]
    return [pair for pair in farther if pair[0] == min(farther)[0]]


def world_of(squares: dict[Place, str | None], cities: Iterable[Place]) -> World:
    names = {f"city {number}": place for number, place in enumerate(cities)}
    return World({"A": None, "B": None}, {"A1": "A", "B1": "B"}, squares, names)


@st.composite
def maps(draw: st.DrawFn) -> World:
    """Maps of every awkward shape: rows, islands, far from the origin, few or crowded cities."""
    # Squares so far apart that hardly two share a tile, and right up to a billion.
    stride = draw(st.sampled_from([1, 1, 1, 2, 5, 1_000_003]))
    left, top = (draw(st.sampled_from([-1_000_000_000, -7, 0, 3, 999_000_000])) for _ in "xy")
    shape = draw(st.sampled_from(["block", "block", "row", "column", "islands"]))
    width = 1 if shape == "column" else draw(st.integers(1, 14))
    height = 1 if shape == "row" else draw(st.integers(1, 14))
    cells = list(product(range(width), range(height)))
    if shape == "islands":
        cells = draw(st.lists(st.sampled_from(cells), unique=True, min_size=1, max_size=30))
    if stride > 1_000_000 and max(left, top) > 0:
        left = top = 0
    nations = st.sampled_from(["A", "A", "A", "B", None])
    mixed = draw(st.booleans())
    squares = {
        (left + x * stride, top + y * stride): draw(nations) if mixed else "A" for x, y in cells
    }
    land = [place for place, nation in squares.items() if nation is not None]
    crowd = draw(st.sampled_from(["none", "one", "some", "cluster", "edge", "all"]))
    if not land or crowd == "none":
        return world_of(squares, [])
    if crowd == "one":
        return world_of(squares, [draw(st.sampled_from(land))])
    if crowd == "all":
        return world_of(squares, land)
    if crowd == "cluster":
        return world_of(squares, sorted(land)[: draw(st.integers(1, 6))])
    if crowd == "edge":
        rim = [place for place in land if place[0] == left or place[1] == top]
        return world_of(squares, rim)
    return world_of(squares, draw(st.lists(st.sampled_from(land), unique=True, min_size=1)))


@given(world=maps(), metric=st.sampled_from(METRICS), sizes=st.sampled_from(SIZES))
def test_tiles_find_every_nearest_city(world: World, metric: str, sizes: tuple[int, ...]) -> None:
    campaign = searched(metric, sizes)
    put(campaign, world)
    assert_nearest(campaign, world, metric)


# Around the origin: twelve places at distance 5, thirty-six at 65, and more by the other metrics.
@pytest.mark.parametrize(
    ("metric", "radius", "ties"),
    [("euclidean", 5, 12), ("euclidean", 65, 36), ("manhattan", 21, 84), ("chebyshev", 5, 40)],
)
@pytest.mark.parametrize("sizes", [(1,), (4, 2), (256, 64, 16, 4)])
def test_ties_of_many_cities(metric: str, radius: int, ties: int, sizes: tuple[int, ...]) -> None:
    judge = Judge(World({}, {}, {}, {}, rulings={"metric": metric}))
    reach = range(-radius, radius + 1)
    ring = [p for p in product(reach, reach) if judge.distance((0, 0), p) == radius * radius]
    assert len(ring) == ties
    campaign = searched(metric, sizes)
    world = world_of({(0, 0): "A", (1, 0): "A", **dict.fromkeys(ring, "A")}, ring)
    put(campaign, world)
    assert_nearest(campaign, world, metric)
    ((tied,),) = campaign.sql(
        "select tied_cities from square_tie_groups inner join tie_groups using (tie_group) "
        "where square = '0,0'"
    ).fetchall()
    assert tied == ties


def test_coordinates_of_a_billion_stay_exact() -> None:
    # The two cities are 2,000,000,000 columns and rows away, one of them a row less: no tie.
    far = 1_000_000_000
    squares = {(-far, -far): "A", (far, far): "A", (far, far - 1): "A"}
    world = world_of(squares, [(far, far), (far, far - 1)])
    for metric, tied in (("euclidean", 1), ("chebyshev", 2)):
        campaign = searched(metric, (1024, 256, 64, 16, 4))
        put(campaign, world)
        assert_nearest(campaign, world, metric)
        nearest = campaign.sql(
            "select city from nearest_cities where square = '-1000000000,-1000000000'"
        )
        assert len(nearest) == tied


def test_tile_sizes_are_chosen_by_the_map() -> None:
    def chosen(width: int, height: int, cities: int) -> tuple[int, ...]:
        con = searched("euclidean", ()).connection
        clear(con)
        con.execute(
            f"insert into squares (square, x, y, nation) select x || ',' || y, x, y, 'A' "
            f"from range({width}) as a (x), range({height}) as b (y)"
        )
        con.execute(
            "insert into cities (city, square) select square, square from squares "
            f"order by x, y limit {cities}"
        )
        return choose_tile_sizes(con)

    assert chosen(100, 100, 60) == ()
    assert chosen(100, 100, 0) == ()
    # A city for every 1,000 squares: they are 32 apart, an eighth of that is 4, and 256 is a quarter of
    # the map.
    assert chosen(1000, 1000, 1000) == (256, 64, 16, 4)
    # Cities 100 apart: an eighth of that is nearer to 16 than to 8. Cities 14 apart: none finer than 4.
    assert chosen(1000, 1000, 100) == (256, 64, 16)
    assert chosen(500, 400, 1000) == (256, 64, 16, 4)
    assert chosen(200_000, 1, 100) == (65536, 16384, 4096, 1024, 256, 64, 16, 4)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((0,), "a tile's size is a whole number from 1 on, not 0"),
        ((2.5,), "a tile's size is a whole number from 1 on, not 2.5"),
        (
            (4, 16),
            "tile sizes go from coarse to fine, each a divisor of the one before: 16 does not divide 4",
        ),
        (
            (16, 6),
            "tile sizes go from coarse to fine, each a divisor of the one before: 6 does not divide 16",
        ),
        ((4, 4), "tile size 4 stands twice"),
    ],
)
def test_impossible_tile_sizes(sizes: tuple[int, ...], message: str) -> None:
    with pytest.raises(QueryError, match=message):
        checked_tile_sizes(sizes)
    with pytest.raises(QueryError, match=message):
        Campaign.build("not read before the sizes", "grid", tile_sizes=sizes)
