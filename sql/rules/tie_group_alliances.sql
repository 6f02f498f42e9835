-- Which alliances between the sides of a tie group are looked at, and does each stand?
-- One row for each turn, tie group and pair of sides, the first in alphabetical order.
-- Rules 2c and 3b ask for alliances.
select
    turn,
    tie_group,
    state_a,
    state_b,
    is_allied
from {{ ref("tie_group_side_pairs") }}
