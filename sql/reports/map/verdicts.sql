-- What is the verdict on each tie group, and on each nation that is judged as a whole?
-- One row for each turn and tie group of a fragmented nation, or other nation with squares.
-- Rules 0 to 3c.
select
    verdicts.turn,
    tie_groups.nation,
    verdicts.tie_group,
    verdicts.status,
    verdicts.owner,
    verdicts.rule
from {{ new }}.main.tie_group_verdicts as verdicts
inner join {{ new }}.main.tie_groups as tie_groups on verdicts.tie_group = tie_groups.tie_group
union all
select distinct
    turn,
    nation,
    null as tie_group,
    status,
    owner,
    rule
from {{ new }}.main.ownership_by_turn
where
    nation is not null
    and coalesce(tied_cities, 0) = 0
