-- Which city of its own nation is nearest to each square, and is it known to be the only one?
-- One row for each square and city at rank 1: every equally near city is a row.
-- Rules 1 to 4: "nearest" counts own-nation cities only, and ties are exact. The square's own columns come
-- along, so that no view need look a million squares up again by their names.
{%- from "macros/distance.sql" import squared_distance %}
{%- from "macros/shortest.sql" import shortest_of %}
{%- from "macros/tile_search.sql" import is_in_tile, tile_search with context %}
with

{%- if tile_sizes %}
-- On a large map, cities are first compared with tiles of squares: see macros/tile_search.sql, which also
-- says why no tie is lost.
{{ tile_search(ref("squares"), ref("compared_cities")) }},

candidate_counts as (
    select
        nation,
        tile_x,
        tile_y,
        count(*) as candidates,
        min(x) + max(x) as both_x,
        min(y) + max(y) as both_y
    from candidates
    group by
        nation,
        tile_x,
        tile_y
),

-- Most tiles have one or two candidates: each beside the other (one alone beside itself), their squares
-- need no grouping.
tile_cities as materialized (
    select
        candidates.nation,
        candidates.tile_x,
        candidates.tile_y,
        candidates.city,
        candidates.x,
        candidates.y,
        candidate_counts.candidates,
        candidate_counts.both_x - candidates.x as other_x,
        candidate_counts.both_y - candidates.y as other_y
    from candidates
    inner join candidate_counts
        on
            candidates.nation = candidate_counts.nation
            and candidates.tile_x = candidate_counts.tile_x
            and candidates.tile_y = candidate_counts.tile_y
),

distances as (
    select
        squares.square,
        squares.x,
        squares.y,
        squares.nation,
        squares.terrain,
        tile_cities.city,
        {{ squared_distance("squares", "tile_cities") }} as squared_distance,
        {{ squared_distance("squares", "tile_cities", "other_") }} as other_distance,
        tile_cities.candidates
    from {{ ref("squares") }} as squares
    inner join tile_cities on {{ is_in_tile("squares", "tile_cities") }}
    where tile_cities.candidates <= 2
),

pairs as materialized (
    select
        squares.square,
        squares.x,
        squares.y,
        squares.nation,
        squares.terrain,
        tile_cities.city,
        {{ squared_distance("squares", "tile_cities") }} as squared_distance
    from {{ ref("squares") }} as squares
    inner join tile_cities on {{ is_in_tile("squares", "tile_cities") }}
    where tile_cities.candidates > 2
),
{%- else %}

pairs as not materialized (
    select
        squares.square,
        squares.x,
        squares.y,
        squares.nation,
        squares.terrain,
        compared_cities.city,
        {{ squared_distance("squares", "compared_cities") }} as squared_distance
    from {{ ref("squares") }} as squares
    inner join {{ ref("compared_cities") }} as compared_cities on squares.nation = compared_cities.nation
),
{%- endif %}

{{ shortest_of("pairs", ["x", "y", "nation", "terrain"]) }}

select
    square,
    x,
    y,
    nation,
    terrain,
    city,
    squared_distance,
    false as is_only
from matches
{%- if tile_sizes %}
union all
select
    square,
    x,
    y,
    nation,
    terrain,
    city,
    squared_distance,
    candidates = 1 or squared_distance < other_distance as is_only
from distances
where squared_distance <= other_distance
{%- endif %}
