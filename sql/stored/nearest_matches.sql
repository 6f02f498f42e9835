-- Which city of its own nation is nearest to each square, and is it known to be the only one?
-- One row for each square and city at rank 1: every equally near city is a row.
-- Rules 1 to 4, worked out when the campaign was built, and refused where squares or cities have changed.
select
    square,
    x,
    y,
    nation,
    terrain,
    city,
    squared_distance,
    is_only
from {{ ref("stored_nearest_matches") }}
where (select geometry_state.is_current from {{ ref("geometry_state") }} as geometry_state)
