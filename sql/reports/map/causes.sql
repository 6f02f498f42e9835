-- Why does the verdict on a tie group differ from that of the turn before?
-- One row for each turn and tie group whose status, owner or clause changed.
-- A cause is a city of the tie group that changed hands, or an alliance that the verdict depends on and
-- that began or ended: the same as in changed_squares, for every turn at once.
with

steps as (
    select
        turn,
        lag(turn) over (order by turn) as turn_before
    from {{ new }}.main.turns
),

city_causes as (
    select
        steps.turn,
        holders.city,
        holders.city || ': ' || coalesce(holders_before.state, 'nobody') || ' to ' || holders.state as cause
    from steps
    inner join {{ new }}.main.city_holders as holders on steps.turn = holders.turn
    left join {{ new }}.main.city_holders as holders_before
        on
            steps.turn_before = holders_before.turn
            and holders.city = holders_before.city
    where
        steps.turn_before is not null
        and holders.state is distinct from holders_before.state
),

-- A pair allied in one of the two turns only.
alliance_causes as (
    select
        steps.turn,
        pairs.state,
        pairs.ally,
        pairs.state || ' and ' || pairs.ally || ': alliance '
        || case when any_value(pairs.turn) = steps.turn then 'began' else 'ended' end as cause
    from steps
    inner join {{ new }}.main.allied_pairs as pairs on pairs.turn in (steps.turn, steps.turn_before)
    where
        steps.turn_before is not null
        and pairs.state < pairs.ally
    group by
        steps.turn,
        pairs.state,
        pairs.ally
    having count(*) = 1
),

-- The alliances that a tie group's verdict depends on, before or after.
needed as (
    select distinct
        steps.turn,
        pairs.tie_group,
        pairs.state_a,
        pairs.state_b
    from steps
    inner join {{ new }}.main.tie_group_side_pairs as pairs on pairs.turn in (steps.turn, steps.turn_before)
    where pairs.is_needed
),

group_causes as (
    select
        city_causes.turn,
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
        needed.turn,
        needed.tie_group,
        alliance_causes.cause
    from needed
    inner join alliance_causes
        on
            needed.turn = alliance_causes.turn
            and needed.state_a = alliance_causes.state
            and needed.state_b = alliance_causes.ally
),

-- Only a clause can change a status: each clause has one.
changed as (
    select
        turn,
        tie_group
    from {{ new }}.main.tie_group_verdicts
    qualify
        lag(turn) over (partition by tie_group order by turn) is not null
        and (
            rule is distinct from lag(rule) over (partition by tie_group order by turn)
            or owner is distinct from lag(owner) over (partition by tie_group order by turn)
        )
)

select
    changed.turn,
    changed.tie_group,
    list_sort(list(group_causes.cause)) as causes
from changed
inner join group_causes
    on
        changed.turn = group_causes.turn
        and changed.tie_group = group_causes.tie_group
group by
    changed.turn,
    changed.tie_group
