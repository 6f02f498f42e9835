-- Which set of equally near cities does each square fall to?
-- One row for each square with a city in its nation.
-- Rules 1 to 3, worked out when the campaign was built, and refused where squares or cities have changed.
select
    square,
    x,
    y,
    nation,
    terrain,
    tie_group,
    squared_distance
from {{ ref("stored_square_tie_groups") }}
where (select geometry_state.is_current from {{ ref("geometry_state") }} as geometry_state)
