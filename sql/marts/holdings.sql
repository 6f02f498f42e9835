-- How much does each state hold at the latest turn?
-- One row for each state.
-- Rules 0 to 3c, counted by state.
{{ narrow(judged_turns="latest_turn", compared_cities="fragmented_cities") }}
with

ground as (
    select
        state,
        count(*) filter (where basis = 'owner') as squares_owned,
        count(*) filter (where basis = 'sharer') as squares_shared
    from {{ ref("deployment_by_turn") }}
    group by state
),

held_cities as (
    select
        state,
        count(*) as cities_held
    from {{ ref("city_holders") }}
    group by state
)

select
    states.state,
    states.nation,
    coalesce(ground.squares_owned, 0) as squares_owned,
    coalesce(ground.squares_shared, 0) as squares_shared,
    coalesce(held_cities.cities_held, 0) as cities_held
from {{ ref("states") }} as states
left join ground on states.state = ground.state
left join held_cities on states.state = held_cities.state
