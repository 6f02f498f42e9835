-- Which cities are nearest to each square that is not known to have one only, together?
-- One row for each such square: on a large map those at ties and few others, on a small one all.
-- Rules 1 to 3: a set of equally near cities is judged as one.
{%- from "macros/tie_group_name.sql" import tie_group_name %}
select
    square,
    any_value(x) as x,
    any_value(y) as y,
    any_value(nation) as nation,
    any_value(terrain) as terrain,
    {{ tie_group_name("city") }} as tie_group,
    list_sort(list(city)) as cities,
    min(squared_distance) as squared_distance
from {{ ref("nearest_matches") }}
where not is_only
group by square
