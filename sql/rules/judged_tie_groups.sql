-- Which tie groups are judged?
-- One row for each tie group: all of them; `ownership` narrows this to those of fragmented nations.
-- Rules 1 to 3.
select
    tie_group,
    nation,
    cities,
    tied_cities
from {{ ref("tie_groups") }}
