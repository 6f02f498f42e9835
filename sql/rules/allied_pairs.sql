-- Which two states are allied in each turn?
-- One row for each judged turn and allied pair, both ways round.
-- Rules 2 and 3: an alliance written B,A is the alliance A,B, and is never passed on to a third state.
with

pairs as (
    select
        turns.turn,
        least(alliances.state_a, alliances.state_b) as state_a,
        greatest(alliances.state_a, alliances.state_b) as state_b,
        -- The latest entry; of two of the same turn, A,B and B,A, the one that says they are not.
        arg_max(
            alliances.allied,
            2 * cast(alliances.turn as bigint) - case when alliances.allied then 1 else 0 end
        ) as is_allied
    from {{ ref("judged_turns") }} as turns
    inner join {{ ref("alliances") }} as alliances on turns.turn >= alliances.turn
    group by
        turns.turn,
        least(alliances.state_a, alliances.state_b),
        greatest(alliances.state_a, alliances.state_b)
)

select
    turn,
    state_a as state,
    state_b as ally
from pairs
where is_allied
union all
select
    turn,
    state_b as state,
    state_a as ally
from pairs
where is_allied
