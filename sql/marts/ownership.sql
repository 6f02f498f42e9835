-- Who owns each square at the latest turn, by which clause, and on what evidence?
-- One row for each square.
-- Rules 0 to 3c. The evidence (cities, sides, distance) is empty where no city is looked at.
{{ narrow(
    judged_turns="latest_turn",
    compared_cities="fragmented_cities",
    judged_tie_groups="fragmented_tie_groups",
) }}
select
    square,
    x,
    y,
    nation,
    terrain,
    status,
    owner,
    rule,
    tied_cities,
    cities,
    sides,
    squared_distance,
    distance
from {{ ref("ownership_by_turn") }}
