-- Which units stand on ground owned by a state that is neither their own nor an ally?
-- One row for each such unit, at the latest turn.
-- The rule for declaring war with units in enemy territory.
{{ narrow(
    judged_turns="latest_turn",
    compared_cities="fragmented_cities",
    judged_tie_groups="fragmented_tie_groups",
) }}
select
    unit,
    state,
    square,
    owner
from {{ ref("unit_positions") }}
where territory = 'foreign'
