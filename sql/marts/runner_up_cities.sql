-- Which city of its own nation comes next after the nearest, and how far is it?
-- One row for each square of a fragmented nation and next city; equally near ones are a row each.
-- Not a rule: it shows how narrow a verdict is.
{{ narrow(compared_cities="fragmented_cities") }}
{%- from "macros/distance.sql" import squared_distance %}
{%- from "macros/shortest.sql" import shortest_of %}
{%- from "macros/tile_search.sql" import is_in_tile, tile_search with context %}
{#- Where steps cannot be worked out once and read twice, the search by tiles would be written out too often. -#}
{%- set is_tiled = tile_sizes and can_share %}
with

{%- if is_tiled %}
-- On a large map, cities are first compared with tiles of squares: see macros/tile_search.sql, which also
-- says why no next city is lost.
{{ tile_search(ref("squares"), ref("compared_cities"), is_next_kept=true) }},
{%- endif %}

farther as {{ "" if is_tiled else "not " }}materialized (
    select
        squares.square,
        cities.city,
        {{ squared_distance("squares", "cities") }} as squared_distance
    from {{ ref("square_tie_groups") }} as squares
    inner join {{ "candidates" if is_tiled else ref("compared_cities") }} as cities
        on {{ is_in_tile("squares", "cities") if is_tiled else "squares.nation = cities.nation" }}
    where {{ squared_distance("squares", "cities") }} > squares.squared_distance
),

{{ shortest_of("farther") }}

select
    square,
    city,
    squared_distance
from matches
