-- Error: a row says neither the name of its square nor both its coordinates.
{%- for sheet in ["squares", "cities"] %}
{{ "union all" if not loop.first }}
select
    '{{ sheet }}' as sheet,
    sheet_row,
    case when x_text is null and y_text is null then 'square' when x_text is null then 'x' else 'y' end
        as sheet_column,
    cast(null as varchar) as value,
    case
        when x_text is null and y_text is null then 'the square is missing: give its name, or x and y'
        else 'x and y go together: one of the two is missing'
    end as problem,
    cast(null as varchar) as nearest
from {{ ref("typed_" ~ sheet) }}
where
    (square_text is null and (x_text is null or y_text is null))
    or (x_text is null and y_text is not null)
    or (x_text is not null and y_text is null)
{%- endfor %}
