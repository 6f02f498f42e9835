-- Which squares' verdict differs between two campaigns, or two states of one, and by what cause?
-- One row for each square whose status, owner or clause differs.
-- A cause is a city of the square's tie group that changed hands, or an alliance that the verdict depends
-- on and that began or ended.
with

old_holders as (
    select
        city,
        state
    from {{ old }}.main.city_holders
    where turn = (select latest.turn from {{ old }}.main.latest_turn as latest)
),

new_holders as (
    select
        city,
        state
    from {{ new }}.main.city_holders
    where turn = (select latest.turn from {{ new }}.main.latest_turn as latest)
),

city_causes as (
    select
        coalesce(old_holders.city, new_holders.city) as city,
        coalesce(old_holders.city, new_holders.city) || ': '
        || coalesce(old_holders.state, 'nobody') || ' to ' || coalesce(new_holders.state, 'nobody')
            as cause
    from old_holders
    full join new_holders on old_holders.city = new_holders.city
    where old_holders.state is distinct from new_holders.state
),

old_allies as (
    select
        state as state_a,
        ally as state_b
    from {{ old }}.main.allied_pairs
    where
        turn = (select latest.turn from {{ old }}.main.latest_turn as latest)
        and state < ally
),

new_allies as (
    select
        state as state_a,
        ally as state_b
    from {{ new }}.main.allied_pairs
    where
        turn = (select latest.turn from {{ new }}.main.latest_turn as latest)
        and state < ally
),

alliance_causes as (
    select
        coalesce(old_allies.state_a, new_allies.state_a) as state_a,
        coalesce(old_allies.state_b, new_allies.state_b) as state_b,
        coalesce(old_allies.state_a, new_allies.state_a) || ' and '
        || coalesce(old_allies.state_b, new_allies.state_b) || ': alliance '
        || case when old_allies.state_a is null then 'began' else 'ended' end as cause
    from old_allies
    full join new_allies
        on
            old_allies.state_a = new_allies.state_a
            and old_allies.state_b = new_allies.state_b
    where
        old_allies.state_a is null
        or new_allies.state_a is null
),

-- The alliances that a tie group's verdict depends on, before or after.
needed as (
    select
        tie_group,
        state_a,
        state_b
    from {{ old }}.main.tie_group_side_pairs
    where
        is_needed
        and turn = (select latest.turn from {{ old }}.main.latest_turn as latest)
    union
    select
        tie_group,
        state_a,
        state_b
    from {{ new }}.main.tie_group_side_pairs
    where
        is_needed
        and turn = (select latest.turn from {{ new }}.main.latest_turn as latest)
),

group_causes as (
    select
        tie_cities.tie_group,
        city_causes.cause
    from (
        select
            tie_group,
            unnest(cities) as city
        from {{ new }}.main.tie_groups
    ) as tie_cities
    inner join city_causes on tie_cities.city = city_causes.city
    union
    select
        needed.tie_group,
        alliance_causes.cause
    from needed
    inner join alliance_causes
        on
            needed.state_a = alliance_causes.state_a
            and needed.state_b = alliance_causes.state_b
),

causes as (
    select
        tie_group,
        array_to_string(list_sort(list(cause)), '; ') as cause
    from group_causes
    group by tie_group
)

select
    coalesce(new_ownership.square, old_ownership.square) as square,
    coalesce(new_ownership.nation, old_ownership.nation) as nation,
    old_ownership.status as old_status,
    new_ownership.status,
    old_ownership.owner as old_owner,
    new_ownership.owner,
    old_ownership.rule as old_rule,
    new_ownership.rule,
    coalesce(causes.cause, 'the maps or the rulings differ') as cause
from {{ old }}.main.ownership as old_ownership
full join {{ new }}.main.ownership as new_ownership on old_ownership.square = new_ownership.square
left join {{ new }}.main.square_tie_groups as tie_groups on new_ownership.square = tie_groups.square
left join causes on tie_groups.tie_group = causes.tie_group
where
    old_ownership.status is distinct from new_ownership.status
    or old_ownership.owner is distinct from new_ownership.owner
    or old_ownership.rule is distinct from new_ownership.rule
