-- Who owned each square in each turn, by which clause, and on what evidence?
-- One row for each turn and square.
-- Rules 0 to 3c. The evidence (cities, sides, distance) is empty where no city is looked at.
{{ narrow(compared_cities="fragmented_cities", judged_tie_groups="fragmented_tie_groups") }}
with

-- The verdict on a nation's squares where no city decides.
nation_verdicts as (
    select
        nation_owners.nation,
        nation_owners.is_fragmented,
        case when not nation_owners.is_fragmented then nation_owners.state end as owner,
        case when nation_owners.is_fragmented then 0 end as tied_cities,
        rules.rule,
        rules.status
    from {{ ref("nation_owners") }} as nation_owners
    inner join {{ ref("rules") }} as rules
        on rules.rule = case when nation_owners.is_fragmented then 'none' else '0' end
)

select
    turns.turn,
    squares.square,
    squares.x,
    squares.y,
    squares.nation,
    squares.terrain,
    coalesce(verdicts.status, nation_verdicts.status, 'outside') as status,
    coalesce(verdicts.owner, nation_verdicts.owner) as owner,
    coalesce(verdicts.rule, nation_verdicts.rule) as rule,
    coalesce(verdicts.tied_cities, nation_verdicts.tied_cities) as tied_cities,
    verdicts.cities,
    verdicts.sides,
    square_tie_groups.squared_distance,
    sqrt(square_tie_groups.squared_distance) as distance
from {{ ref("judged_turns") }} as turns
inner join {{ ref("squares") }} as squares on true
left join nation_verdicts on squares.nation = nation_verdicts.nation
left join {{ ref("square_tie_groups") }} as square_tie_groups
    on
        squares.square = square_tie_groups.square
        and nation_verdicts.is_fragmented
left join {{ ref("tie_group_verdicts") }} as verdicts
    on
        turns.turn = verdicts.turn
        and square_tie_groups.tie_group = verdicts.tie_group
