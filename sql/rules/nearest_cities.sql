-- Which city of its own nation is nearest to each square?
-- One row for each square and city at rank 1: every equally near city is a row.
-- Rules 1 to 4: "nearest" counts own-nation cities only, and ties are exact.
{%- from "macros/distance.sql" import squared_distance %}
with

pairs as (
    select
        squares.square,
        compared_cities.city,
        {{ squared_distance("squares", "compared_cities") }} as squared_distance
    from {{ ref("squares") }} as squares
    inner join {{ ref("compared_cities") }} as compared_cities on squares.nation = compared_cities.nation
),

-- The minimum, joined back on equality, costs far less than ranking every pair.
shortest as (
    select
        square,
        min(squared_distance) as squared_distance
    from pairs
    group by square
)

select
    pairs.square,
    pairs.city,
    pairs.squared_distance
from pairs
inner join shortest
    on
        pairs.square = shortest.square
        and pairs.squared_distance = shortest.squared_distance
