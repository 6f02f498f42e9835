-- How much did each state hold in each turn?
-- One row for each turn and state.
-- Rules 0 to 3c, counted by state.
{{ narrow(compared_cities="fragmented_cities", judged_tie_groups="fragmented_tie_groups") }}
with

ground as (
    select
        turn,
        state,
        count(*) filter (where basis = 'owner') as squares_owned,
        count(*) filter (where basis = 'sharer') as squares_shared
    from {{ ref("deployment_by_turn") }}
    group by
        turn,
        state
),

held_cities as (
    select
        turn,
        state,
        count(*) as cities_held
    from {{ ref("city_holders") }}
    group by
        turn,
        state
)

select
    turns.turn,
    states.state,
    states.nation,
    coalesce(ground.squares_owned, 0) as squares_owned,
    coalesce(ground.squares_shared, 0) as squares_shared,
    coalesce(held_cities.cities_held, 0) as cities_held
from {{ ref("judged_turns") }} as turns
inner join {{ ref("states") }} as states on true
left join ground
    on
        turns.turn = ground.turn
        and states.state = ground.state
left join held_cities
    on
        turns.turn = held_cities.turn
        and states.state = held_cities.state
