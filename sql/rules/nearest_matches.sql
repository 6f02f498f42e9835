-- Which city of its own nation is nearest to each square, and was it the only candidate?
-- One row for each square and city at rank 1: every equally near city is a row.
-- Rules 1 to 4: "nearest" counts own-nation cities only, and ties are exact.
{%- from "macros/distance.sql" import squared_distance %}
{%- from "macros/tile_search.sql" import tile_search with context %}
with

{%- if tile_sizes %}
-- On a large map, cities are first compared with tiles of squares: see macros/tile_search.sql, which also
-- says why no tie is lost.
{{ tile_search(ref("squares"), ref("compared_cities")) }},

settled as (
    select
        squares.square,
        cities.city,
        {{ squared_distance("squares", "cities") }} as squared_distance
    from {{ ref("squares") }} as squares
    inner join candidates as cities
        on
            squares.nation = cities.nation
            and squares.x // {{ tile_sizes | last }} = cities.tile_x
            and squares.y // {{ tile_sizes | last }} = cities.tile_y
    where cities.is_only
),

pairs as materialized (
    select
        squares.square,
        cities.city,
        {{ squared_distance("squares", "cities") }} as squared_distance
    from {{ ref("squares") }} as squares
    inner join candidates as cities
        on
            squares.nation = cities.nation
            and squares.x // {{ tile_sizes | last }} = cities.tile_x
            and squares.y // {{ tile_sizes | last }} = cities.tile_y
    where not cities.is_only
),
{%- else %}

pairs as (
    select
        squares.square,
        compared_cities.city,
        {{ squared_distance("squares", "compared_cities") }} as squared_distance
    from {{ ref("squares") }} as squares
    inner join {{ ref("compared_cities") }} as compared_cities on squares.nation = compared_cities.nation
),
{%- endif %}

-- The minimum, joined back on equality, costs far less than ranking every pair.
shortest as (
    select
        square,
        min(squared_distance) as squared_distance
    from pairs
    group by square
)

select
    pairs.square,
    pairs.city,
    pairs.squared_distance,
    false as is_only
from pairs
inner join shortest
    on
        pairs.square = shortest.square
        and pairs.squared_distance = shortest.squared_distance
{%- if tile_sizes %}
union all
select
    square,
    city,
    squared_distance,
    true as is_only
from settled
{%- endif %}
