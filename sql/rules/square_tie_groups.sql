-- Which set of equally near cities does each square fall to?
-- One row for each square with a city in its nation.
-- Rules 1 to 3: squares with the same nearest cities have the same verdict.
{%- from "macros/tie_group_name.sql" import tie_group_name, tie_group_of_one %}
{%- if tile_sizes %}
with

-- Most squares of a large map have one nearest city, and need no gathering.
compared as materialized (
    select
        square,
        city,
        squared_distance
    from {{ ref("nearest_matches") }}
    where not is_only
),

counted as materialized (
    select
        square,
        count(*) as tied_cities,
        min(city) as city,
        min(squared_distance) as squared_distance
    from compared
    group by square
),

tied as (
    select
        compared.square,
        compared.city,
        compared.squared_distance
    from compared
    inner join counted on compared.square = counted.square
    where counted.tied_cities > 1
)

select
    square,
    {{ tie_group_of_one("city") }} as tie_group,
    squared_distance
from {{ ref("nearest_matches") }}
where is_only
union all
select
    square,
    {{ tie_group_of_one("city") }} as tie_group,
    squared_distance
from counted
where tied_cities = 1
union all
select
    square,
    {{ tie_group_name("city") }} as tie_group,
    min(squared_distance) as squared_distance
from tied
group by square
{%- else %}
select
    square,
    {{ tie_group_name("city") }} as tie_group,
    min(squared_distance) as squared_distance
from {{ ref("nearest_matches") }}
group by square
{%- endif %}
