-- Which city of its own nation is nearest to each square, and is it known to be the only one?
-- One row for each square and city at rank 1: every equally near city is a row.
-- Rules 1 to 4: "nearest" counts own-nation cities only, and ties are exact.
{%- from "macros/distance.sql" import squared_distance %}
{%- from "macros/shortest.sql" import shortest_of %}
{%- from "macros/tile_search.sql" import is_in_tile, tile_search with context %}
with

{%- if tile_sizes %}
-- On a large map, cities are first compared with tiles of squares: see macros/tile_search.sql, which also
-- says why no tie is lost.
{{ tile_search(ref("squares"), ref("compared_cities")) }},

-- Most tiles have one or two candidates: side by side in one row, they need no grouping.
tile_cities as materialized (
    select
        nation,
        tile_x,
        tile_y,
        max(case when is_first then city end) as first_city,
        max(case when is_first then x end) as first_x,
        max(case when is_first then y end) as first_y,
        max(case when not is_first then city end) as other_city,
        max(case when not is_first then x end) as other_x,
        max(case when not is_first then y end) as other_y,
        true as is_all
    from candidates
    where candidates <= 2
    group by
        nation,
        tile_x,
        tile_y
    union all
    select
        nation,
        tile_x,
        tile_y,
        city as first_city,
        x as first_x,
        y as first_y,
        null as other_city,
        null as other_x,
        null as other_y,
        false as is_all
    from candidates
    where candidates > 2
),

distances as (
    select
        squares.square,
        tile_cities.first_city,
        tile_cities.other_city,
        {{ squared_distance("squares", "tile_cities", "first_") }} as first_distance,
        {{ squared_distance("squares", "tile_cities", "other_") }} as other_distance,
        tile_cities.is_all
    from {{ ref("squares") }} as squares
    inner join tile_cities on {{ is_in_tile("squares", "tile_cities") }}
),

compared as materialized (
    select
        square,
        case when other_distance < first_distance then other_city else first_city end as city,
        case when other_distance = first_distance then other_city end as tied_city,
        case when other_distance < first_distance then other_distance else first_distance end
            as squared_distance,
        is_all
    from distances
),

pairs as (
    select
        square,
        city,
        squared_distance
    from compared
    where not is_all
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

{{ shortest_of("pairs") }}
{%- if not tile_sizes %}

select
    square,
    city,
    squared_distance,
    false as is_only
from matches
{%- else %},

tied_squares as (
    select square
    from matches
    group by square
    having count(*) > 1
)

select
    matches.square,
    matches.city,
    matches.squared_distance,
    tied_squares.square is null as is_only
from matches
left join tied_squares on matches.square = tied_squares.square
union all
select
    square,
    city,
    squared_distance,
    tied_city is null as is_only
from compared
where is_all
union all
select
    square,
    tied_city as city,
    squared_distance,
    false as is_only
from compared
where
    is_all
    and tied_city is not null
{%- endif %}
