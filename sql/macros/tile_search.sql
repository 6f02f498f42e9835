{#- The cities that can be nearest to some square of each tile, as common table expressions that end in
    `candidates`: nation, tile_x, tile_y, city, x, y.

    The squares are covered with tiles, coarse to fine, apart for each nation; the columns of a tile of
    size 4 are those with the same x // 4. Of each tile only the columns and rows between its outermost
    squares count, which keeps a ragged coast from widening it. A tile's candidates are those of its
    parent (the coarsest tile's are all cities of the nation) whose least possible distance to the tile
    is no more than the smallest of the candidates' greatest possible distances.

    No tie is lost: let a city be at rank 1 for some square of the tile, and let the bound belong to
    another candidate. The square is no further from that candidate than the bound, so the city is no
    further from the square than the bound either; its least possible distance to the tile is not more
    than that, so it stays, and at every size. Any sizes of which each divides the one before give the
    same answer.

    With `is_next_kept`, the cities that come next after a square's nearest stay too. Every candidate
    that lies beyond the bound wherever in the tile one stands is farther than the nearest, so the next
    is no farther than it: the smallest greatest possible distance of those candidates takes the bound's
    place. Where there is none, all stay. -#}
{%- from "macros/distance.sql" import squared_length with context -%}
{%- macro tile_search(squares, cities, is_next_kept=false) -%}
{%- set finest = tile_sizes | last -%}
tiles_{{ finest }} as {{ "materialized " if tile_sizes | length > 1 }}(
    select
        nation,
        x // {{ finest }} as tile_x,
        y // {{ finest }} as tile_y,
        min(x) as left_x,
        max(x) as right_x,
        min(y) as top_y,
        max(y) as bottom_y
    from {{ squares }}
    where nation is not null
    group by
        nation,
        x // {{ finest }},
        y // {{ finest }}
),
{%- for size in tile_sizes[:-1] | reverse %}
{%- set finer = tile_sizes[tile_sizes.index(size) + 1] %}

tiles_{{ size }} as {{ "materialized " if not loop.last }}(
    select
        nation,
        tile_x // {{ size // finer }} as tile_x,
        tile_y // {{ size // finer }} as tile_y,
        min(left_x) as left_x,
        max(right_x) as right_x,
        min(top_y) as top_y,
        max(bottom_y) as bottom_y
    from tiles_{{ finer }}
    group by
        nation,
        tile_x // {{ size // finer }},
        tile_y // {{ size // finer }}
),
{%- endfor %}
{%- for size in tile_sizes %}

measured_{{ size }} as materialized (
    select
        tiles.nation,
        tiles.tile_x,
        tiles.tile_y,
        cities.city,
        cities.x,
        cities.y,
        {{ squared_length(
            "greatest(tiles.left_x - cities.x, 0, cities.x - tiles.right_x)",
            "greatest(tiles.top_y - cities.y, 0, cities.y - tiles.bottom_y)",
        ) }} as least,
        {{ squared_length(
            "greatest(tiles.right_x - cities.x, cities.x - tiles.left_x)",
            "greatest(tiles.bottom_y - cities.y, cities.y - tiles.top_y)",
        ) }} as greatest
    from tiles_{{ size }} as tiles
    {%- if loop.first %}
    inner join {{ cities }} as cities on tiles.nation = cities.nation
    {%- else %}
    inner join kept_{{ loop.previtem }} as cities
        on
            tiles.nation = cities.nation
            and tiles.tile_x // {{ loop.previtem // size }} = cities.tile_x
            and tiles.tile_y // {{ loop.previtem // size }} = cities.tile_y
    {%- endif %}
),

{{ "nearest_" if is_next_kept }}bounds_{{ size }} as (
    select
        nation,
        tile_x,
        tile_y,
        min(greatest) as bound
    from measured_{{ size }}
    group by
        nation,
        tile_x,
        tile_y
),
{%- if is_next_kept %}

bounds_{{ size }} as (
    select
        measured.nation,
        measured.tile_x,
        measured.tile_y,
        coalesce(
            min(case when measured.least > bounds.bound then measured.greatest end),
            max(measured.least)
        ) as bound
    from measured_{{ size }} as measured
    inner join nearest_bounds_{{ size }} as bounds
        on
            measured.nation = bounds.nation
            and measured.tile_x = bounds.tile_x
            and measured.tile_y = bounds.tile_y
    group by
        measured.nation,
        measured.tile_x,
        measured.tile_y
),
{%- endif %}

{{ "candidates as materialized" if loop.last else "kept_" ~ size ~ " as" }} (
    select
        measured.nation,
        measured.tile_x,
        measured.tile_y,
        measured.city,
        measured.x,
        measured.y
    from measured_{{ size }} as measured
    inner join bounds_{{ size }} as bounds
        on
            measured.nation = bounds.nation
            and measured.tile_x = bounds.tile_x
            and measured.tile_y = bounds.tile_y
            and measured.least <= bounds.bound
){{ "," if not loop.last }}
{%- endfor %}
{%- endmacro -%}
{#- Whether a square lies in a tile of the finest size. -#}
{%- macro is_in_tile(squares, tiles) -%}
{{ squares }}.nation = {{ tiles }}.nation
and {{ squares }}.x // {{ tile_sizes | last }} = {{ tiles }}.tile_x
and {{ squares }}.y // {{ tile_sizes | last }} = {{ tiles }}.tile_y
{%- endmacro -%}
