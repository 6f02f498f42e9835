-- Which two states are allied, or no longer, from which turn on?
-- One row for each row of sheet alliances.
{%- from "macros/values.sql" import truth_value, whole_number %}
select
    sheet_row,
    state_a,
    state_b,
    least(state_a, state_b) as first_state,
    greatest(state_a, state_b) as second_state,
    turn as turn_text,
    case when turn is null then 0 else {{ whole_number("turn", "integer") }} end as turn,
    allied as allied_text,
    case when allied is null then true else {{ truth_value("allied") }} end as allied
from {{ ref("sheet_alliances") }}
