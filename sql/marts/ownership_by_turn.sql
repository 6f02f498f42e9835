-- Who owned each square in each turn, by which clause, and on what evidence?
-- One row for each turn and square.
-- Rules 0 to 3c. The evidence (cities, sides, distance) is empty where no city is looked at.
{{ narrow(compared_cities="fragmented_cities") }}
select
    turns.turn,
    squares.square,
    squares.x,
    squares.y,
    squares.nation,
    squares.terrain,
    coalesce(rules.status, 'outside') as status,
    case
        when nation_owners.is_fragmented then verdicts.owner
        else nation_owners.state
    end as owner,
    rules.rule,
    case
        when nation_owners.is_fragmented then coalesce(len(square_tie_groups.cities), 0)
    end as tied_cities,
    array_to_string(square_tie_groups.cities, '; ') as cities,
    verdicts.sides,
    square_tie_groups.squared_distance,
    sqrt(square_tie_groups.squared_distance) as distance
from {{ ref("judged_turns") }} as turns
inner join {{ ref("squares") }} as squares on true
left join {{ ref("nation_owners") }} as nation_owners on squares.nation = nation_owners.nation
left join {{ ref("square_tie_groups") }} as square_tie_groups on squares.square = square_tie_groups.square
left join {{ ref("tie_group_verdicts") }} as verdicts
    on
        turns.turn = verdicts.turn
        and square_tie_groups.tie_group = verdicts.tie_group
left join {{ ref("rules") }} as rules
    on rules.rule = case
        when not nation_owners.is_fragmented then '0'
        when nation_owners.is_fragmented and square_tie_groups.square is null then 'none'
        else verdicts.rule
    end
