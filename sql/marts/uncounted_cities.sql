-- Which cities of other nations are as near to a square as its own nation's nearest, or nearer?
-- One row for each square and such city: every foreign city where the square's nation has none.
-- Rule 4: they do not count. Cheap for one square, whole on request.
{%- from "macros/distance.sql" import squared_distance %}
with

-- How far the nearest city is; and a little more than its square root, in columns and rows.
reaches as (
    select
        squares.square,
        squares.x,
        squares.y,
        squares.nation,
        nearest.squared_distance,
        cast(ceil(sqrt(nearest.squared_distance)) as bigint) + 1 as reach
    from {{ ref("squares") }} as squares
    left join {{ ref("square_tie_groups") }} as nearest on squares.square = nearest.square
    where squares.nation is not null
),

-- By any metric, a city as near is no more columns away than that.
within_reach as (
    select
        reaches.square,
        reaches.squared_distance as shortest,
        city_places.city,
        city_places.nation,
        {{ squared_distance("reaches", "city_places") }} as squared_distance
    from reaches
    inner join {{ ref("city_places") }} as city_places
        on
            city_places.x >= reaches.x - reaches.reach
            and city_places.x <= reaches.x + reaches.reach
    where reaches.nation <> city_places.nation
    union all
    select
        reaches.square,
        null as shortest,
        city_places.city,
        city_places.nation,
        {{ squared_distance("reaches", "city_places") }} as squared_distance
    from reaches
    inner join {{ ref("city_places") }} as city_places on reaches.nation <> city_places.nation
    where reaches.reach is null
)

select
    square,
    city,
    nation,
    squared_distance
from within_reach
where
    squared_distance <= shortest
    or shortest is null
