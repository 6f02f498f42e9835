-- Which set of equally near cities does each square fall to?
-- One row for each square with a city in its nation.
-- Rules 1 to 3: squares with the same nearest cities have the same verdict.
{%- from "macros/tie_group_name.sql" import tie_group_name, tie_group_of_one %}
select
    square,
    {{ tie_group_of_one("city") }} as tie_group,
    squared_distance
from {{ ref("nearest_matches") }}
where is_only
union all
-- On a large map most squares are known to have one nearest city, and only the others need gathering.
select
    square,
    {{ tie_group_name("city") }} as tie_group,
    min(squared_distance) as squared_distance
from {{ ref("nearest_matches") }}
where not is_only
group by square
