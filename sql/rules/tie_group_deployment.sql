-- Which states may deploy on the squares of each tie group, and on what basis?
-- One row for each turn, tie group of a fragmented nation and state that may deploy.
-- Rules 2c and 3b: on shared squares the national sides and every state allied with all of them.
{{ narrow(compared_cities="fragmented_cities", judged_tie_groups="fragmented_tie_groups") }}
with

-- The sides whose ground it is: the owner of an owned square, the national sides of a shared one.
hosts as (
    select
        turn,
        tie_group,
        owner as state,
        'owner' as basis
    from {{ ref("tie_group_verdicts") }}
    where status = 'owned'
    union all
    select
        verdicts.turn,
        verdicts.tie_group,
        sides.state,
        'sharer' as basis
    from {{ ref("tie_group_verdicts") }} as verdicts
    inner join {{ ref("tie_group_sides") }} as sides
        on
            verdicts.turn = sides.turn
            and verdicts.tie_group = sides.tie_group
    where
        verdicts.status = 'shared'
        and sides.is_national
),

host_counts as (
    select
        turn,
        tie_group,
        count(*) as hosts
    from hosts
    {%- if rulings.owner_allies_deploy == "false" %}
    -- Ruling owner_allies_deploy: allies of an owner get no right from it.
    where basis = 'sharer'
    {%- endif %}
    group by
        turn,
        tie_group
),

allies as (
    select
        hosts.turn,
        hosts.tie_group,
        allied_pairs.ally as state
    from hosts
    inner join host_counts
        on
            hosts.turn = host_counts.turn
            and hosts.tie_group = host_counts.tie_group
    inner join {{ ref("allied_pairs") }} as allied_pairs
        on
            hosts.turn = allied_pairs.turn
            and hosts.state = allied_pairs.state
    group by
        hosts.turn,
        hosts.tie_group,
        allied_pairs.ally,
        host_counts.hosts
    having count(*) = host_counts.hosts
)

select
    turn,
    tie_group,
    state,
    basis
from hosts
union all
select
    turn,
    tie_group,
    state,
    'ally' as basis
from allies
