-- Error: two rows of a sheet have the same key.
{%- set keys = [
    ("nations", "sheet_nations", "nation"), ("states", "sheet_states", "state"),
    ("squares", "typed_squares", "square"), ("cities", "sheet_cities", "city"),
    ("units", "sheet_units", "unit"),
] %}
with

keys as (
    {%- for sheet, rows, key in keys %}
    {{ "union all" if not loop.first }}
    select
        '{{ sheet }}' as sheet,
        sheet_row,
        '{{ key }}' as sheet_column,
        {{ key }} as value
    from {{ ref(rows) }}
    where {{ key }} is not null
    {%- endfor %}
),

first_rows as (
    select
        sheet,
        value,
        min(sheet_row) as first_row
    from keys
    group by
        sheet,
        value
    having count(*) > 1
)

select
    keys.sheet,
    keys.sheet_row,
    keys.sheet_column,
    keys.value,
    'this ' || keys.sheet_column || ' is already in row '
    || cast(first_rows.first_row as varchar) as problem,
    cast(null as varchar) as nearest
from keys
inner join first_rows
    on
        keys.sheet = first_rows.sheet
        and keys.value = first_rows.value
where keys.sheet_row > first_rows.first_row
