-- Which cities can decide who owns a square?
-- One row for each city of a fragmented nation.
-- Rules 0 and 4: in a unitary nation no city is looked at.
select
    city_places.city,
    city_places.x,
    city_places.y,
    city_places.nation
from {{ ref("city_places") }} as city_places
inner join {{ ref("nation_owners") }} as nation_owners on city_places.nation = nation_owners.nation
where nation_owners.is_fragmented
