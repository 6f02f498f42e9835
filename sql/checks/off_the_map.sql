-- Error: coordinates lie off the map.
with

off_the_map as (
    {%- for sheet in ["squares", "cities"] %}
    {{ "union all" if not loop.first }}
    select
        '{{ sheet }}' as sheet,
        sheet_row,
        x,
        y
    from {{ ref("typed_" ~ sheet) }}
    where
        x is not null
        and y is not null
        {%- if lettered %}
        and square is null
        {%- else %}
        and (
            x not between -1000000000 and 1000000000
            or y not between -1000000000 and 1000000000
        )
        {%- endif %}
    {%- endfor %}
),

edges as (
    {%- if lettered %}
    select
        (select max(x) from {{ ref("column_names") }}) as last_x,
        (select max(y) from {{ ref("row_names") }}) as last_y,
        0 as first_x
    {%- else %}
    select
        1000000000 as last_x,
        1000000000 as last_y,
        -1000000000 as first_x
    {%- endif %}
),

compared as (
    select
        off_the_map.sheet,
        off_the_map.sheet_row,
        off_the_map.x,
        off_the_map.y,
        edges.last_x,
        edges.last_y,
        off_the_map.x not between edges.first_x and edges.last_x as is_x
    from off_the_map
    cross join edges
)

select
    sheet,
    sheet_row,
    case when is_x then 'x' else 'y' end as sheet_column,
    cast(case when is_x then x else y end as varchar) as value,
    {%- if lettered %}
    'x=' || cast(x as varchar) || ', y=' || cast(y as varchar) || ' lies off the map, where x is 0 to '
    || cast(last_x as varchar) || ' and y 0 to ' || cast(last_y as varchar) as problem,
    {%- else %}
    'a coordinate is at most a billion, or squared distances would not be exact' as problem,
    {%- endif %}
    cast(null as varchar) as nearest
from compared
