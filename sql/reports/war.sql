-- Which units of two states stand on each other's ground, or on ground that nobody owns alone?
-- One row for each such unit.
-- The rule for declaring war with units in enemy territory.
select
    unit,
    state,
    square,
    case
        when territory in ('shared', 'neutral', 'unowned') then territory
        else 'enemy'
    end as ground,
    owner,
    may_deploy
from {{ new }}.main.unit_positions
where
    (state = $1 and owner = $2)
    or (state = $2 and owner = $1)
    or (state in ($1, $2) and territory in ('shared', 'neutral', 'unowned'))
