{#- The rows of a sheet with the place that each one names: by the ruleset's square names, by x and y,
    or by both. Columns: sheet_row, square_text, x_text, y_text as typed; named_x and named_y from the
    name; given_x and given_y from the coordinates; square, x, y: the place, and its proper name; and
    the sheet's other columns that are asked for. -#}
{%- from "macros/values.sql" import whole_number -%}
{%- macro places(sheet, others, has_coordinates=true) -%}
with

typed as (
    select
        sheet_row,
        {{ others | join(", ") }},
        square as square_text,
        {{ "x" if has_coordinates else "cast(null as varchar)" }} as x_text,
        {{ "y" if has_coordinates else "cast(null as varchar)" }} as y_text,
        -- Case and spaces in a square's name do not matter.
        upper(replace(square, ' ', '')) as name
    from {{ sheet }}
),

named as (
    select
        typed.sheet_row,
        {%- for column in others %}
        typed.{{ column }},
        {%- endfor %}
        typed.square_text,
        typed.x_text,
        typed.y_text,
        {{ whole_number("typed.x_text") }} as given_x,
        {{ whole_number("typed.y_text") }} as given_y,
        {%- if lettered %}
        column_names.x as named_x,
        row_names.y as named_y
    from typed
    left join {{ ref("row_names") }} as row_names
        on split_part(typed.name, '-', 2) = row_names.name
    left join {{ ref("column_names") }} as column_names
        on
            split_part(typed.name, '-', 1) = column_names.name
            and typed.name = column_names.name || '-' || row_names.name
        {%- else %}
        case
            when regexp_full_match(typed.name, '-?[0-9]+,-?[0-9]+')
                then try_cast(split_part(typed.name, ',', 1) as bigint)
        end as named_x,
        case
            when regexp_full_match(typed.name, '-?[0-9]+,-?[0-9]+')
                then try_cast(split_part(typed.name, ',', 2) as bigint)
        end as named_y
    from typed
        {%- endif %}
),

located as (
    select
        sheet_row,
        {{ others | join(", ") }},
        square_text,
        x_text,
        y_text,
        given_x,
        given_y,
        named_x,
        case when named_x is not null then named_y end as named_y,
        case when square_text is null then given_x else named_x end as x,
        case
            when square_text is null then given_y
            when named_x is not null then named_y
        end as y
    from named
)

select
    located.sheet_row,
    {%- for column in others %}
    located.{{ column }},
    {%- endfor %}
    located.square_text,
    located.x_text,
    located.y_text,
    located.given_x,
    located.given_y,
    located.named_x,
    located.named_y,
    located.x,
    located.y,
    {%- if lettered %}
    column_names.name || '-' || row_names.name as square
from located
left join {{ ref("column_names") }} as column_names on located.x = column_names.x
left join {{ ref("row_names") }} as row_names on located.y = row_names.y
    {%- else %}
    cast(located.x as varchar) || ',' || cast(located.y as varchar) as square
from located
    {%- endif %}
{%- endmacro -%}
