-- Which city of its own nation comes next after the nearest, and how far is it?
-- One row for each square of a fragmented nation and next city; equally near ones are a row each.
-- Not a rule: it shows how narrow a verdict is.
{{ narrow(compared_cities="fragmented_cities") }}
{%- from "macros/distance.sql" import squared_distance %}
with

farther as not materialized (
    select
        squares.square,
        compared_cities.city,
        {{ squared_distance("squares", "compared_cities") }} as squared_distance,
        nearest.squared_distance as shortest
    from {{ ref("squares") }} as squares
    inner join {{ ref("compared_cities") }} as compared_cities on squares.nation = compared_cities.nation
    inner join {{ ref("square_tie_groups") }} as nearest on squares.square = nearest.square
),

next_distances as (
    select
        square,
        min(squared_distance) as squared_distance
    from farther
    where squared_distance > shortest
    group by square
)

select
    farther.square,
    farther.city,
    farther.squared_distance
from farther
inner join next_distances
    on
        farther.square = next_distances.square
        and farther.squared_distance = next_distances.squared_distance
