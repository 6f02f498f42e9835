-- Error: a cell that must be filled is empty.
{%- for sheet, spec in sheets.items() %}
{%- set outer_loop = loop %}
{%- for column in spec.required | default([]) %}
{{ "union all" if not (outer_loop.first and loop.first) }}
select
    '{{ sheet }}' as sheet,
    sheet_row,
    '{{ column }}' as sheet_column,
    cast(null as varchar) as value,
    'the value is missing' as problem,
    cast(null as varchar) as nearest
from {{ ref("sheet_" ~ sheet) }}
where {{ column }} is null
{%- endfor %}
{%- endfor %}
