-- Which of the states that hold a nation's cities are national on its squares?
-- One row for each nation and such state.
-- Rules 1 to 3 (and ruling national_scope).
select distinct
    tie_groups.nation,
    sides.state
from {{ new }}.main.tie_group_sides as sides
inner join {{ new }}.main.tie_groups as tie_groups on sides.tie_group = tie_groups.tie_group
where sides.is_national
