-- Error: a square's name and its coordinates are not the same place.
{%- for sheet in ["squares", "cities"] %}
{{ "union all" if not loop.first }}
select
    '{{ sheet }}' as sheet,
    sheet_row,
    case when given_x <> named_x then 'x' else 'y' end as sheet_column,
    case when given_x <> named_x then x_text else y_text end as value,
    square_text || ' is x=' || cast(named_x as varchar) || ', y=' || cast(named_y as varchar)
    || ', but the row says x=' || coalesce(x_text, '') || ', y=' || coalesce(y_text, '') as problem,
    cast(null as varchar) as nearest
from {{ ref("typed_" ~ sheet) }}
where
    given_x <> named_x
    or given_y <> named_y
{%- endfor %}
