-- Which tie groups can decide who owns a square?
-- One row for each tie group of a fragmented nation.
-- Rules 0 and 4: in a unitary nation no city is looked at.
select
    tie_groups.tie_group,
    tie_groups.nation,
    tie_groups.cities,
    tie_groups.tied_cities
from {{ ref("tie_groups") }} as tie_groups
inner join {{ ref("nation_owners") }} as nation_owners on tie_groups.nation = nation_owners.nation
where nation_owners.is_fragmented
