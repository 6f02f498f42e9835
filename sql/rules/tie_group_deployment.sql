-- Which states may deploy on the squares of each tie group, and on what basis?
-- One row for each turn, tie group of a fragmented nation and state that may deploy.
-- Rules 2c and 3b: on shared squares the national sides and every state allied with all of them.
{{ narrow(compared_cities="fragmented_cities", judged_tie_groups="fragmented_tie_groups") }}
with

-- The sides whose ground it is: the owner of an owned square, the national sides of a shared one.
hosts as (
    select
        verdicts.turn,
        verdicts.tie_group,
        case when verdicts.status = 'owned' then verdicts.owner else sides.state end as state,
        case when verdicts.status = 'owned' then 'owner' else 'sharer' end as basis,
        count(*) over (partition by verdicts.turn, verdicts.tie_group) as hosts
    from {{ ref("tie_group_verdicts") }} as verdicts
    left join {{ ref("tie_group_sides") }} as sides
        on
            verdicts.turn = sides.turn
            and verdicts.tie_group = sides.tie_group
            and verdicts.status = 'shared'
            and sides.is_national
    where verdicts.status in ('owned', 'shared')
),

allies as (
    select
        hosts.turn,
        hosts.tie_group,
        allied_pairs.ally as state
    from hosts
    inner join {{ ref("allied_pairs") }} as allied_pairs
        on
            hosts.turn = allied_pairs.turn
            and hosts.state = allied_pairs.state
    {%- if rulings.owner_allies_deploy == "false" %}
    -- Ruling owner_allies_deploy: allies of an owner get no right from it.
    where hosts.basis = 'sharer'
    {%- endif %}
    group by
        hosts.turn,
        hosts.tie_group,
        allied_pairs.ally,
        hosts.hosts
    having count(*) = hosts.hosts
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
