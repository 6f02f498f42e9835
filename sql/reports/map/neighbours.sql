-- Which states own squares that lie side by side in some turn?
-- One row for each such pair of states, the first in alphabetical order.
-- Not a rule: on a map, neighbours need colours that differ.
with

verdicts as (
    {% filter indent(4) %}{% include "reports/map/verdicts.sql" %}{% endfilter %}
),

places as (
    select
        squares.x,
        squares.y,
        squares.nation,
        case when nation_owners.is_fragmented then coalesce(nearest.tie_group, '') else '' end as tie_group
    from {{ new }}.main.squares as squares
    inner join {{ new }}.main.nation_owners as nation_owners on squares.nation = nation_owners.nation
    left join {{ new }}.main.square_tie_groups as nearest on squares.square = nearest.square
),

-- Compared once for each two tie groups that meet, not for each square and turn.
meetings as (
    select
        places.nation,
        places.tie_group,
        east.nation as other_nation,
        east.tie_group as other_tie_group
    from places
    inner join places as east
        on
            places.x + 1 = east.x
            and places.y = east.y
    union
    select
        places.nation,
        places.tie_group,
        south.nation as other_nation,
        south.tie_group as other_tie_group
    from places
    inner join places as south
        on
            places.x = south.x
            and places.y + 1 = south.y
)

select distinct
    least(verdicts.owner, other_verdicts.owner) as state,
    greatest(verdicts.owner, other_verdicts.owner) as neighbour
from meetings
inner join verdicts
    on
        meetings.nation = verdicts.nation
        and meetings.tie_group = coalesce(verdicts.tie_group, '')
inner join verdicts as other_verdicts
    on
        verdicts.turn = other_verdicts.turn
        and meetings.other_nation = other_verdicts.nation
        and meetings.other_tie_group = coalesce(other_verdicts.tie_group, '')
where verdicts.owner <> other_verdicts.owner
