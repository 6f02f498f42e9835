-- Which sets of equally near cities occur on the map?
-- One row for each tie group: a set of own-nation cities that are together the nearest to a square.
-- Rules 1 to 3: one city (rule 1), two (rule 2), three or more (rule 3).
{%- from "macros/tie_group_name.sql" import tie_group_name, tie_group_of_one %}
with

-- Each city is the only nearest to the square on which it stands.
alone as (
    select
        {{ tie_group_of_one("city") }} as tie_group,
        nation,
        list_value(city) as cities
    from {{ ref("compared_cities") }}
),

tied as (
    select
        {{ tie_group_name("city") }} as tie_group,
        list_sort(list(city)) as cities,
        min(city) as city
    from {{ ref("nearest_matches") }}
    where not is_only
    group by square
    having count(*) > 1
),

together as (
    select
        tie_group,
        any_value(cities) as cities,
        any_value(city) as city
    from tied
    group by tie_group
)

select
    tie_group,
    nation,
    cities,
    1 as tied_cities
from alone
union all
select
    together.tie_group,
    city_places.nation,
    together.cities,
    array_length(together.cities) as tied_cities
from together
inner join {{ ref("city_places") }} as city_places on together.city = city_places.city
