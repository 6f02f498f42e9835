-- Which set of equally near cities does each square fall to?
-- One row for each square with a city in its nation.
-- Rules 1 to 3: squares with the same nearest cities have the same verdict.
{%- from "macros/tie_group_name.sql" import tie_group_of_one %}
-- On a large map most squares are known to have one nearest city, and only the others are gathered.
select
    square,
    x,
    y,
    nation,
    terrain,
    {{ tie_group_of_one("city") }} as tie_group,
    squared_distance
from {{ ref("nearest_matches") }}
where is_only
union all
select
    square,
    x,
    y,
    nation,
    terrain,
    tie_group,
    squared_distance
from {{ ref("gathered_squares") }}
