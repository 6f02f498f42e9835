-- Which state holds which city from which turn on, by either sheet that says so?
-- One row for each row of sheet control, and for each holder named in sheet cities (turn 0).
{%- from "macros/values.sql" import whole_number %}
select
    'control' as sheet,
    sheet_row,
    city,
    state,
    turn as turn_text,
    case when turn is null then 0 else {{ whole_number("turn", "integer") }} end as turn
from {{ ref("sheet_control") }}
union all
select
    'cities' as sheet,
    sheet_row,
    city,
    state,
    null as turn_text,
    0 as turn
from {{ ref("sheet_cities") }}
where state is not null
