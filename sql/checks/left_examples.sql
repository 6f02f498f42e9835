-- Warning: an example row that `nwol-sql new` wrote is still there.
{%- for sheet, key in [("nations", "nation"), ("states", "state")] %}
{{ "union all" if not loop.first }}
select
    '{{ sheet }}' as sheet,
    sheet_row,
    'name' as sheet_column,
    {{ key }} as value,
    'this row is still the example that the empty campaign came with' as problem,
    cast(null as varchar) as nearest
from {{ ref("sheet_" ~ sheet) }}
where name = 'example: replace this row'
{%- endfor %}
