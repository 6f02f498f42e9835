-- How much does each state hold at the latest turn?
-- One row for each state.
-- Rules 0 to 3c, counted by state.
{{ narrow(
    judged_turns="latest_turn",
    compared_cities="fragmented_cities",
    judged_tie_groups="fragmented_tie_groups",
) }}
select
    state,
    nation,
    squares_owned,
    squares_shared,
    cities_held
from {{ ref("holdings_by_turn") }}
