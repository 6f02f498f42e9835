-- Which sets of equally near cities occur on the map?
-- One row for each tie group: a set of own-nation cities that are together the nearest to a square.
-- Rules 1 to 3: one city (rule 1), two (rule 2), three or more (rule 3).
{%- from "macros/tie_group_name.sql" import tie_group_of_one %}
-- Each city is the only nearest to the square on which it stands.
select
    {{ tie_group_of_one("city") }} as tie_group,
    nation,
    list_value(city) as cities,
    1 as tied_cities
from {{ ref("compared_cities") }}
union all
select
    tie_group,
    any_value(nation) as nation,
    any_value(cities) as cities,
    any_value(array_length(cities)) as tied_cities
from {{ ref("gathered_squares") }}
where array_length(cities) > 1
group by tie_group
