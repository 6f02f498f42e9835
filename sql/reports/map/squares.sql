-- Where does each square lie, and with which others does it share its verdicts?
-- One row for each square between $1 and $2 across and $3 and $4 down.
-- Rules 0 to 3c: a fragmented nation's squares go by tie group, all of another nation's go together.
select
    squares.square,
    squares.x,
    squares.y,
    squares.nation,
    squares.terrain,
    case when nation_owners.is_fragmented then nearest.tie_group end as tie_group,
    case when nation_owners.is_fragmented then nearest.squared_distance end as squared_distance
from {{ new }}.main.squares as squares
left join {{ new }}.main.nation_owners as nation_owners on squares.nation = nation_owners.nation
left join {{ new }}.main.square_tie_groups as nearest on squares.square = nearest.square
where
    squares.x between $1 and $2
    and squares.y between $3 and $4
