-- Which cities of other nations are as near to a square as its own nation's nearest, or nearer?
-- One row for each square and such city: every foreign city where the square's nation has none.
-- Rule 4: they do not count. Cheap for one square, whole on request.
{%- from "macros/distance.sql" import squared_distance %}
with

pairs as (
    select
        squares.square,
        city_places.city,
        city_places.nation,
        city_places.nation = squares.nation as is_counted,
        {{ squared_distance("squares", "city_places") }} as squared_distance
    from {{ ref("squares") }} as squares
    inner join {{ ref("city_places") }} as city_places on true
    where squares.nation is not null
),

compared as (
    select
        square,
        city,
        nation,
        is_counted,
        squared_distance,
        min(squared_distance) filter (where is_counted) over (partition by square) as shortest
    from pairs
)

select
    square,
    city,
    nation,
    squared_distance
from compared
where
    not is_counted
    and squared_distance <= coalesce(shortest, squared_distance)
