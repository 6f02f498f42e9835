-- Which sets of equally near cities occur on the map?
-- One row for each tie group: a set of own-nation cities that are together the nearest to a square.
-- Rules 1 to 3: one city (rule 1), two (rule 2), three or more (rule 3).
with

groups as (
    select
        tie_group,
        any_value(cities) as cities
    from {{ ref("square_tie_groups") }}
    group by tie_group
)

select
    groups.tie_group,
    compared_cities.nation,
    groups.cities,
    len(groups.cities) as tied_cities
from groups
inner join {{ ref("compared_cities") }} as compared_cities on groups.cities[1] = compared_cities.city
