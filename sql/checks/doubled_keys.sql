-- Error: two rows of a sheet have the same key.
{%- set keys = [
    ("nations", "sheet_nations", "nation"), ("states", "sheet_states", "state"),
    ("squares", "typed_squares", "square"), ("cities", "sheet_cities", "city"),
    ("units", "sheet_units", "unit"),
] %}
-- Each sheet by itself: all in one, the keys of a large map would not fit into memory.
with

{%- for sheet, rows, key in keys %}

first_{{ sheet }} as (
    select
        {{ key }},
        min(sheet_row) as first_row
    from {{ ref(rows) }}
    group by {{ key }}
    having count(*) > 1
){{ "," if not loop.last }}
{%- endfor %}

{%- for sheet, rows, key in keys %}
{{ "union all" if not loop.first }}
select
    '{{ sheet }}' as sheet,
    doubled.sheet_row,
    '{{ key }}' as sheet_column,
    doubled.{{ key }} as value,
    'this {{ key }} is already in row ' || cast(first_rows.first_row as varchar) as problem,
    cast(null as varchar) as nearest
from {{ ref(rows) }} as doubled
inner join first_{{ sheet }} as first_rows on doubled.{{ key }} = first_rows.{{ key }}
where doubled.sheet_row > first_rows.first_row
{%- endfor %}
