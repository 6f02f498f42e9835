-- Which rights to deploy ended with an alliance, and with which?
-- One row for each square and state that could deploy there and no longer may, where an alliance that the
-- right rested on has ended.
-- Rules 2c and 3b: the sharers of a square must be allied, and their allies with all of them.
with

ended as (
    select
        old_deployment.square,
        old_deployment.state,
        old_deployment.basis
    from {{ old }}.main.deployment as old_deployment
    left join {{ new }}.main.deployment as new_deployment
        on
            old_deployment.square = new_deployment.square
            and old_deployment.state = new_deployment.state
    where new_deployment.state is null
),

ended_alliances as (
    select
        state,
        ally
    from {{ old }}.main.allied_pairs
    where turn = (select latest.turn from {{ old }}.main.latest_turn as latest)
    except
    select
        state,
        ally
    from {{ new }}.main.allied_pairs
    where turn = (select latest.turn from {{ new }}.main.latest_turn as latest)
),

-- On whose alliances each right rested: those among the sharers, and the state's own with them; on an
-- owned square (ruling owner_allies_deploy) the state's with the owner.
rested as (
    select
        ended.square,
        ended.state,
        pairs.state_a,
        pairs.state_b
    from ended
    inner join {{ old }}.main.square_tie_groups as tie_groups on ended.square = tie_groups.square
    inner join {{ old }}.main.tie_group_side_pairs as pairs on tie_groups.tie_group = pairs.tie_group
    where
        pairs.is_needed
        and pairs.turn = (select latest.turn from {{ old }}.main.latest_turn as latest)
    union
    select
        ended.square,
        ended.state,
        least(ended.state, hosts.state) as state_a,
        greatest(ended.state, hosts.state) as state_b
    from ended
    inner join {{ old }}.main.deployment as hosts
        on
            ended.square = hosts.square
            and hosts.basis in ('owner', 'sharer')
    where ended.basis = 'ally'
)

select
    ended.square,
    ended.state,
    ended.basis,
    array_to_string(list_sort(list(rested.state_a || ' and ' || rested.state_b)), '; ') as ended_alliances
from ended
inner join rested
    on
        ended.square = rested.square
        and ended.state = rested.state
inner join ended_alliances
    on
        rested.state_a = ended_alliances.state
        and rested.state_b = ended_alliances.ally
group by
    ended.square,
    ended.state,
    ended.basis
