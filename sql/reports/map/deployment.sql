-- Which states may deploy on the squares of each tie group, and of each nation judged as a whole?
-- One row for each turn, tie group or nation, and state that may deploy.
-- Rules 0 to 3c.
select
    deployment.turn,
    tie_groups.nation,
    deployment.tie_group,
    deployment.state,
    deployment.basis
from {{ new }}.main.tie_group_deployment as deployment
inner join {{ new }}.main.tie_groups as tie_groups on deployment.tie_group = tie_groups.tie_group
union all
select distinct
    deployment.turn,
    squares.nation,
    null as tie_group,
    deployment.state,
    deployment.basis
from {{ new }}.main.deployment_by_turn as deployment
inner join {{ new }}.main.squares as squares on deployment.square = squares.square
inner join {{ new }}.main.nation_owners as nation_owners on squares.nation = nation_owners.nation
where not nation_owners.is_fragmented
