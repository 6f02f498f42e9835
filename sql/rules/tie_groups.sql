-- Which sets of equally near cities occur on the map?
-- One row for each tie group: a set of own-nation cities that are together the nearest to a square.
-- Rules 1 to 3: one city (rule 1), two (rule 2), three or more (rule 3).
with

-- The cities nearest to any one of a group's squares are the group's cities.
examples as (
    select
        tie_group,
        any_value(square) as square
    from {{ ref("square_tie_groups") }}
    group by tie_group
),

gathered as (
    select
        examples.tie_group,
        list_sort(list(nearest.city)) as cities,
        any_value(nearest.city) as city
    from examples
    inner join {{ ref("nearest_matches") }} as nearest on examples.square = nearest.square
    group by examples.tie_group
)

select
    gathered.tie_group,
    city_places.nation,
    gathered.cities,
    array_length(gathered.cities) as tied_cities
from gathered
inner join {{ ref("city_places") }} as city_places on gathered.city = city_places.city
