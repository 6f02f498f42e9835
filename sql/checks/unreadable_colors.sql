-- Error: a colour is not written #rrggbb.
select
    'states' as sheet,
    sheet_row,
    'color' as sheet_column,
    color as value,
    'a color is written # and six digits 0-9, a-f: #rrggbb' as problem,
    cast(null as varchar) as nearest
from {{ ref("sheet_states") }}
where
    color is not null
    and not regexp_full_match(color, '#[0-9A-Fa-f]{6}')
