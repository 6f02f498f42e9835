-- Who owned each square in each turn, by which clause, and on what evidence?
-- One row for each turn and square.
-- Rules 0 to 3c. The evidence (cities, sides, distance) is empty where no city is looked at.
{{ narrow(compared_cities="fragmented_cities", judged_tie_groups="fragmented_tie_groups") }}
with

compared_nations as (
    select distinct nation
    from {{ ref("compared_cities") }}
),

-- The verdict on a nation's squares where no city decides.
nation_verdicts as (
    select
        nation_owners.nation,
        case when not nation_owners.is_fragmented then nation_owners.state end as owner,
        case when nation_owners.is_fragmented then 0 end as tied_cities,
        rules.rule,
        rules.status
    from {{ ref("nation_owners") }} as nation_owners
    inner join {{ ref("rules") }} as rules
        on rules.rule = case when nation_owners.is_fragmented then 'none' else '0' end
)

select
    verdicts.turn,
    squares.square,
    squares.x,
    squares.y,
    squares.nation,
    squares.terrain,
    verdicts.status,
    verdicts.owner,
    verdicts.rule,
    verdicts.tied_cities,
    verdicts.cities,
    verdicts.sides,
    squares.squared_distance,
    sqrt(squares.squared_distance) as distance
from {{ ref("square_tie_groups") }} as squares
inner join {{ ref("tie_group_verdicts") }} as verdicts on squares.tie_group = verdicts.tie_group
union all
select
    turns.turn,
    squares.square,
    squares.x,
    squares.y,
    squares.nation,
    squares.terrain,
    coalesce(nation_verdicts.status, 'outside') as status,
    nation_verdicts.owner,
    nation_verdicts.rule,
    nation_verdicts.tied_cities,
    null as cities,
    null as sides,
    null as squared_distance,
    null as distance
from {{ ref("judged_turns") }} as turns
inner join {{ ref("squares") }} as squares on true
left join compared_nations on squares.nation = compared_nations.nation
left join nation_verdicts on squares.nation = nation_verdicts.nation
where compared_nations.nation is null
