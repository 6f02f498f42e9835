-- Which cities of other nations are as near to a square as its own nation's nearest, or nearer?
-- One row for each square and such city: every foreign city where the square's nation has none.
-- Rule 4: they do not count. Cheap for one square, whole on request.
{%- from "macros/distance.sql" import squared_distance %}
with

foreign_cities as (
    select
        squares.square,
        city_places.city,
        city_places.nation,
        {{ squared_distance("squares", "city_places") }} as squared_distance
    from {{ ref("squares") }} as squares
    inner join {{ ref("city_places") }} as city_places on squares.nation <> city_places.nation
)

select
    foreign_cities.square,
    foreign_cities.city,
    foreign_cities.nation,
    foreign_cities.squared_distance
from foreign_cities
left join {{ ref("square_tie_groups") }} as nearest on foreign_cities.square = nearest.square
where foreign_cities.squared_distance <= coalesce(nearest.squared_distance, foreign_cities.squared_distance)
