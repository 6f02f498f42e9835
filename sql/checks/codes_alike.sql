-- Warning: two codes differ in letter case only, which is easily mistaken.
with

codes as (
    {%- for sheet, key in [("nations", "nation"), ("states", "state"), ("cities", "city")] %}
    {{ "union all" if not loop.first }}
    select
        '{{ sheet }}' as sheet,
        sheet_row,
        '{{ key }}' as sheet_column,
        {{ key }} as value
    from {{ ref("sheet_" ~ sheet) }}
    where {{ key }} is not null
    {%- endfor %}
),

compared as (
    select
        sheet,
        sheet_row,
        sheet_column,
        value,
        first_value(value) over (partition by sheet, lower(value) order by sheet_row) as first_alike
    from codes
)

select
    sheet,
    sheet_row,
    sheet_column,
    value,
    'this ' || sheet_column || ' differs from ' || first_alike || ' in letter case only' as problem,
    cast(null as varchar) as nearest
from compared
where value <> first_alike
