-- Which sets of equally near cities occur on the map?
-- One row for each tie group: a set of own-nation cities that are together the nearest to a square.
-- Rules 1 to 3, worked out when the campaign was built, and refused where squares or cities have changed.
select
    tie_group,
    nation,
    cities,
    tied_cities
from {{ ref("stored_tie_groups") }}
where (select geometry_state.is_current from {{ ref("geometry_state") }} as geometry_state)
