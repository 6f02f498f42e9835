"""Makes large test maps by SQL: `python -m benchmarks.maps FOLDER --width 1000 --height 1000 …`.

The same seed gives the same map with every release of DuckDB, since MD5 does the drawing of lots.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import duckdb

# A sheet each. Lots are drawn by hashing the seed with what is drawn for.
SHEETS = {
    "nations": """
        select 'N' || number as nation, 'fragmented' as kind
        from range(getvariable('nations')) as numbers (number)
    """,
    "states": """
        select 'N' || nation || 'S' || state as state, 'N' || nation as nation
        from range(getvariable('nations')) as nations (nation)
        inner join range(getvariable('states')) as states (state) on true
    """,
    # Countries and seas are made of blocks; a map of one nation without sea is all one country.
    "squares": """
        with blocks as (
            select
                block_x,
                block_y,
                md5_number_lower(getvariable('seed') || ' block ' || block_x || ',' || block_y) % 1000
                    < getvariable('sea') * 1000 as is_sea,
                'N' || md5_number_lower(getvariable('seed') || ' nation ' || block_x || ',' || block_y)
                    % getvariable('nations') as nation
            from range(getvariable('blocks')) as columns (block_x)
            inner join range(getvariable('blocks')) as rows (block_y) on true
        )

        select
            columns.x,
            rows.y,
            case when not blocks.is_sea then blocks.nation end as nation
        from range(getvariable('height')) as rows (y)
        inner join range(getvariable('width')) as columns (x) on true
        inner join blocks
            on
                columns.x * getvariable('blocks') // getvariable('width') = blocks.block_x
                and rows.y * getvariable('blocks') // getvariable('height') = blocks.block_y
        order by rows.y, columns.x
    """,
    "cities": """
        with sites as (
            select
                lot,
                md5_number_lower(getvariable('seed') || ' x ' || lot) % getvariable('width') as x,
                md5_number_lower(getvariable('seed') || ' y ' || lot) % getvariable('height') as y
            -- More lots than cities: some fall into the sea or on a city.
            from range(getvariable('cities') * 3 + 100) as lots (lot)
        ),

        places as (
            select
                min(sites.lot) as lot,
                cast(squares.x as bigint) as x,
                cast(squares.y as bigint) as y
            from sites
            inner join squares on sites.x = squares.x and sites.y = squares.y
            where squares.nation is not null
            group by squares.x, squares.y
            order by lot
            limit getvariable('cities')
        )

        select 'city ' || row_number() over (order by lot) as city, x, y from places order by lot
    """,
    "control": """
        select
            turns.turn,
            cities.city,
            'N' || md5_number_lower(getvariable('seed') || turns.turn || ' nation ' || cities.city)
                % getvariable('nations')
            || 'S' || md5_number_lower(getvariable('seed') || turns.turn || ' state ' || cities.city)
                % getvariable('states') as state
        from cities
        inner join range(getvariable('turns')) as turns (turn) on true
        -- Every city at turn 0; later, one in ten.
        where
            turns.turn = 0
            or md5_number_lower(getvariable('seed') || turns.turn || ' falls ' || cities.city) % 10 = 0
        order by turns.turn, cities.city
    """,
    "alliances": """
        select
            cast(0 as bigint) as turn,
            state_a.state as state_a,
            state_b.state as state_b
        from states as state_a
        inner join states as state_b on state_a.state < state_b.state
        where
            md5_number_lower(getvariable('seed') || ' allies ' || state_a.state || state_b.state) % 3 = 0
    """,
}


def make_map(
    folder: Path,
    width: int,
    height: int,
    cities: int,
    nations: int = 1,
    states: int = 4,
    turns: int = 3,
    sea: float = 0.0,
    blocks: int = 1,
    seed: int = 1,
) -> Path:
    """Write the sheets of a made-up campaign for ruleset grid as Parquet files, and return the folder.

    `blocks`: how many blocks of land or sea lie side by side, in width and in height; `sea` is the share
    of sea among them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    settings = {
        "width": width,
        "height": height,
        "cities": cities,
        "nations": nations,
        "states": states,
        "turns": turns,
        "sea": sea,
        "blocks": blocks,
        "seed": str(seed),
    }
    with duckdb.connect() as con:
        for name, value in settings.items():
            con.execute(f"set variable {name} = $1", [value])
        for sheet, query in SHEETS.items():
            target = folder / f"{sheet}.parquet"
            con.execute(f"copy ({query}) to '{target}' (format parquet)")
            con.execute(f"create view {sheet} as from '{target}'")
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Write a large made-up campaign as Parquet sheets."
    )
    parser.add_argument("folder", type=Path)
    for name, kind, default in (
        ("width", int, 1000),
        ("height", int, 1000),
        ("cities", int, 1000),
        ("nations", int, 1),
        ("states", int, 4),
        ("turns", int, 3),
        ("sea", float, 0.0),
        ("blocks", int, 1),
        ("seed", int, 1),
    ):
        parser.add_argument(f"--{name}", type=kind, default=default, help=f"default {default}")
    options = vars(parser.parse_args())
    print(f"written {make_map(**options)}: nwol-sql build it with --ruleset grid")


if __name__ == "__main__":
    main()
