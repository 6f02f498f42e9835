-- On whose ground does each unit stand, and may it deploy there in peacetime?
-- One row for each unit, at the latest turn.
-- The rules for peacetime movement and for declaring war with units abroad.
{{ narrow(
    judged_turns="latest_turn",
    compared_cities="fragmented_cities",
    judged_tie_groups="fragmented_tie_groups",
) }}
select
    units.unit,
    units.state,
    units.square,
    ground.owner,
    coalesce(ground.status, 'outside') as status,
    case
        -- Only a change of table squares can leave a unit on a square that is not listed.
        when ground.status is null then 'outside'
        when ground.status <> 'owned' then ground.status
        when ground.owner = units.state then 'own'
        when allied_pairs.ally is not null then 'allied'
        else 'foreign'
    end as territory,
    deployment.state is not null as may_deploy
from {{ ref("units") }} as units
left join {{ ref("ownership_by_turn") }} as ground on units.square = ground.square
left join {{ ref("allied_pairs") }} as allied_pairs
    on
        ground.turn = allied_pairs.turn
        and ground.owner = allied_pairs.state
        and units.state = allied_pairs.ally
left join {{ ref("deployment_by_turn") }} as deployment
    on
        ground.turn = deployment.turn
        and ground.square = deployment.square
        and units.state = deployment.state
