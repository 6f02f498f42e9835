-- Which states may deploy on each square in peacetime at the latest turn, and on what basis?
-- One row for each square and state that may deploy.
-- Rules 0 to 3c: the owner, or the sharers of a shared square and every state allied with all of them.
{{ narrow(
    judged_turns="latest_turn",
    compared_cities="fragmented_cities",
    judged_tie_groups="fragmented_tie_groups",
) }}
select
    square,
    state,
    basis
from {{ ref("deployment_by_turn") }}
