-- Which sides hold the cities of each tie group, and how many each?
-- One row for each turn, tie group and side. Cities that nobody holds are a side without a state.
-- Rules 2 and 3: sides count, not cities. A side is national where its nation is the square's.
with

group_cities as (
    select
        tie_group,
        nation,
        unnest(cities) as city
    from {{ ref("judged_tie_groups") }}
),

held_cities as (
    select
        turns.turn,
        group_cities.tie_group,
        group_cities.nation,
        city_holders.state
    from group_cities
    inner join {{ ref("judged_turns") }} as turns on true
    left join {{ ref("city_holders") }} as city_holders
        on
            turns.turn = city_holders.turn
            and group_cities.city = city_holders.city
)

select
    held_cities.turn,
    held_cities.tie_group,
    held_cities.state,
    {%- if rulings.national_scope == "fragmented" %}
    -- Ruling national_scope: the states of any fragmented nation are national.
    coalesce(
        bool_or(states.nation = held_cities.nation or nation_owners.is_fragmented), false
    ) as is_national,
    {%- else %}
    coalesce(bool_or(states.nation = held_cities.nation), false) as is_national,
    {%- endif %}
    count(*) as held_cities
from held_cities
left join {{ ref("states") }} as states on held_cities.state = states.state
{%- if rulings.national_scope == "fragmented" %}
left join {{ ref("nation_owners") }} as nation_owners on states.nation = nation_owners.nation
{%- endif %}
group by
    held_cities.turn,
    held_cities.tie_group,
    held_cities.state
