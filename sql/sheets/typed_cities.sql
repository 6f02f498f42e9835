-- Which cities does the sheet name, read and placed?
-- One row for each row of sheet cities.
{%- from "macros/places.sql" import places %}
{%- from "macros/values.sql" import whole_number %}
with

places as (
    {{ places(ref("sheet_cities"), ["city", "level"]) | indent(4) }}
)

select
    sheet_row,
    city,
    level as level_text,
    {{ whole_number("level", "integer") | indent(4) }} as level,
    square_text,
    x_text,
    y_text,
    given_x,
    given_y,
    named_x,
    named_y,
    x,
    y,
    square
from places
