"""Chooses the sizes of the tiles by which a large map is searched: see sql/macros/tile_search.sql."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from nwol_sql.errors import QueryError

if TYPE_CHECKING:
    import duckdb

# Up to so many pairs of a square and a city of its nation, all are compared in a tenth of a second.
FEW_PAIRS = 1_000_000

# Each tile is so many finer tiles wide and high.
STEP = 4

# The finest tiles are about this fraction of the way between two cities: most have one candidate.
FRACTION = 8

# Tiles of four squares would be too many for what each of them saves.
FINEST = 4

# How many pairs of a square and a city of its nation there are, the area in which the nations' squares
# lie, the width or height of the widest or highest nation, and the number of cities.
MAP_SIZE = """
with lands as (
    select
        nation,
        count(*) as squares,
        max(x) - min(x) + 1 as width,
        max(y) - min(y) + 1 as height
    from squares
    where nation is not null
    group by nation
),
city_counts as (select nation, count(*) as cities from city_places group by nation)
select
    coalesce(sum(squares * cities), 0),
    coalesce(sum(cast(width as double) * height), 0),
    coalesce(max(greatest(width, height)), 0),
    coalesce(sum(cities), 0)
from lands inner join city_counts on lands.nation = city_counts.nation
"""


def choose_tile_sizes(con: duckdb.DuckDBPyConnection) -> tuple[int, ...]:
    """Return tile sizes, coarse to fine, for the squares and cities of the current database.

    Empty for a small map, whose squares are compared with every city.
    """
    return tile_sizes_for(*con.execute(MAP_SIZE).fetchall()[0])


def tile_sizes_for(pairs: int, area: float, span: int, cities: int) -> tuple[int, ...]:
    """Return tile sizes, coarse to fine, for a map of the size that query MAP_SIZE tells."""
    if pairs <= FEW_PAIRS:
        return ()
    size = FINEST
    # The power of two that comes nearest, by ratio.
    while (size * 2 * FRACTION) ** 2 * cities <= 2 * area:
        size *= 2
    sizes = [size]
    while sizes[0] * STEP <= span:
        sizes.insert(0, sizes[0] * STEP)
    return tuple(sizes)


def checked_tile_sizes(sizes: Sequence[int]) -> tuple[int, ...]:
    """Return tile sizes as a tuple. Raises QueryError unless each divides the one before."""
    if not isinstance(sizes, Sequence) or isinstance(sizes, str):
        raise QueryError(f"tile sizes are a list, coarse to fine, not {sizes!r}")
    for size in sizes:
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise QueryError(f"a tile's size is a whole number from 1 on, not {size!r}")
    for coarse, fine in pairwise(sizes):
        if coarse % fine or coarse == fine:
            raise QueryError(
                f"tile sizes go from coarse to fine, each a divisor of the one before: {fine} does not "
                f"divide {coarse}"
                if coarse != fine
                else f"tile size {fine} stands twice"
            )
    return tuple(sizes)
