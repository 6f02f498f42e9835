-- Error: a coordinate, turn or level is not a whole number, or beyond what a table can hold.
{%- from "macros/values.sql" import is_whole_number %}
{%- set numbers = [
    ("squares", "x", "x_text", "given_x"), ("squares", "y", "y_text", "given_y"),
    ("cities", "x", "x_text", "given_x"), ("cities", "y", "y_text", "given_y"),
    ("cities", "level", "level_text", "level"),
    ("control", "turn", "turn_text", "turn"), ("alliances", "turn", "turn_text", "turn"),
] %}
{%- for sheet, column, text, number in numbers %}
{{ "union all" if not loop.first }}
select
    '{{ sheet }}' as sheet,
    sheet_row,
    '{{ column }}' as sheet_column,
    {{ text }} as value,
    case
        when {{ is_whole_number(text) }}
            then '{{ column }} goes beyond {{ "a billion" if column in ("x", "y") else "2,147,483,647" }}'
        else '{{ column }} is not a whole number'
    end as problem,
    cast(null as varchar) as nearest
from {{ ref("typed_" ~ sheet) }}
where
    {{ text }} is not null
    and {{ number }} is null
{%- endfor %}
