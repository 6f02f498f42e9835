-- Which states might deploy on each square in peacetime in each turn, and on what basis?
-- One row for each turn, square and state that may deploy.
-- Rules 0 to 3c: the owner, or the sharers of a shared square and every state allied with all of them.
{{ narrow(compared_cities="fragmented_cities", judged_tie_groups="fragmented_tie_groups") }}
with

unitary_owners as (
    select
        turns.turn,
        nation_owners.nation,
        nation_owners.state
    from {{ ref("judged_turns") }} as turns
    inner join {{ ref("nation_owners") }} as nation_owners on true
    where not nation_owners.is_fragmented
),

nation_deployment as (
    select
        turn,
        nation,
        state,
        'owner' as basis
    from unitary_owners
    {%- if rulings.owner_allies_deploy == "true" %}
    union all
    -- Ruling owner_allies_deploy: the owner's allies too.
    select
        unitary_owners.turn,
        unitary_owners.nation,
        allied_pairs.ally as state,
        'ally' as basis
    from unitary_owners
    inner join {{ ref("allied_pairs") }} as allied_pairs
        on
            unitary_owners.turn = allied_pairs.turn
            and unitary_owners.state = allied_pairs.state
    {%- endif %}
)

select
    nation_deployment.turn,
    squares.square,
    nation_deployment.state,
    nation_deployment.basis
from nation_deployment
inner join {{ ref("squares") }} as squares on nation_deployment.nation = squares.nation
union all
select
    tie_group_deployment.turn,
    square_tie_groups.square,
    tie_group_deployment.state,
    tie_group_deployment.basis
from {{ ref("tie_group_deployment") }} as tie_group_deployment
inner join {{ ref("square_tie_groups") }} as square_tie_groups
    on tie_group_deployment.tie_group = square_tie_groups.tie_group
