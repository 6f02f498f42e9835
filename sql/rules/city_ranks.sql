-- How far is each square from every city of its own nation, and in which order?
-- One row for each square and own-nation city; equally near cities share a rank.
-- Rule 4: cities of other nations are left out.
{%- from "macros/distance.sql" import squared_distance %}
with

pairs as (
    select
        squares.square,
        city_places.city,
        {{ squared_distance("squares", "city_places") }} as squared_distance
    from {{ ref("squares") }} as squares
    inner join {{ ref("city_places") }} as city_places on squares.nation = city_places.nation
)

select
    square,
    city,
    squared_distance,
    rank() over (partition by square order by squared_distance) as rank
from pairs
