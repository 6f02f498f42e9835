-- Which two sides of a tie group meet, are they allied, and does the verdict depend on it?
-- One row for each turn, tie group and pair of sides, the first in alphabetical order.
-- Rule 2c needs two national sides to be allied, rule 3b each national side with all the rest.
select
    side_a.turn,
    side_a.tie_group,
    side_a.state as state_a,
    side_b.state as state_b,
    case
        when tie_groups.tied_cities = 2 then side_a.is_national and side_b.is_national
        {%- if rulings.group_allies == "all_sides" %}
        else side_a.is_national or side_b.is_national
        {%- else %}
        -- Ruling group_allies: only national sides need to be allied with each other.
        else side_a.is_national and side_b.is_national
        {%- endif %}
    end as is_needed,
    allied_pairs.ally is not null as is_allied
from {{ ref("tie_group_sides") }} as side_a
inner join {{ ref("tie_group_sides") }} as side_b
    on
        side_a.turn = side_b.turn
        and side_a.tie_group = side_b.tie_group
        and side_a.state < side_b.state
inner join {{ ref("judged_tie_groups") }} as tie_groups on side_a.tie_group = tie_groups.tie_group
left join {{ ref("allied_pairs") }} as allied_pairs
    on
        side_a.turn = allied_pairs.turn
        and side_a.state = allied_pairs.state
        and side_b.state = allied_pairs.ally
