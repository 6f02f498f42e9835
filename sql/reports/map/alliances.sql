-- On which alliances does the verdict on each tie group depend, and do they stand?
-- One row for each turn, tie group of a fragmented nation and pair of its sides.
-- Rules 2c and 3b.
select
    pairs.turn,
    verdicts.tie_group,
    pairs.state_a,
    pairs.state_b,
    pairs.is_allied
from {{ new }}.main.tie_group_side_pairs as pairs
inner join {{ new }}.main.tie_group_verdicts as verdicts
    on
        pairs.turn = verdicts.turn
        and pairs.tie_group = verdicts.tie_group
where pairs.is_needed
