-- Which squares' verdict changed, from what to what, and in which turn?
-- One row for each turn and square whose status, owner or clause differs from the turn before.
-- Rules 1a to 3c; unitary nations' squares never change.
{{ narrow(compared_cities="fragmented_cities", judged_tie_groups="fragmented_tie_groups") }}
with

-- Compared once for each tie group, then looked up by its squares.
successive as (
    select
        turn,
        tie_group,
        lag(status) over (partition by tie_group order by turn) as old_status,
        status,
        lag(owner) over (partition by tie_group order by turn) as old_owner,
        owner,
        lag(rule) over (partition by tie_group order by turn) as old_rule,
        rule
    from {{ ref("tie_group_verdicts") }}
)

select
    successive.turn,
    square_tie_groups.square,
    successive.old_status,
    successive.status,
    successive.old_owner,
    successive.owner,
    successive.old_rule,
    successive.rule
from successive
inner join {{ ref("square_tie_groups") }} as square_tie_groups
    on successive.tie_group = square_tie_groups.tie_group
where
    successive.old_rule is not null
    and (
        successive.rule <> successive.old_rule
        or successive.owner is distinct from successive.old_owner
    )
