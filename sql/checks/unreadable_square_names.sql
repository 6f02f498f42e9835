-- Error: a square's name is not one that the ruleset has.
with

unreadable as (
    {%- for sheet in ["squares", "cities", "units"] %}
    {{ "union all" if not loop.first }}
    select
        '{{ sheet }}' as sheet,
        sheet_row,
        square_text as value
    from {{ ref("typed_" ~ sheet) }}
    where
        square_text is not null
        and (named_x is null or named_y is null)
    {%- endfor %}
)
{%- if lettered %},

-- The names that are nearest to a mistaken one, column and row each by itself.
spellings as (
    select
        unreadable.value,
        min(
            struct_pack(
                edits := damerau_levenshtein(upper(split_part(unreadable.value, '-', 1)), column_names.name),
                number := column_names.x,
                spelling := column_names.name
            )
        ).spelling || '-' || min(
            struct_pack(
                edits := damerau_levenshtein(upper(split_part(unreadable.value, '-', 2)), row_names.name),
                number := row_names.y,
                spelling := row_names.name
            )
        ).spelling as nearest
    from (
        select distinct value from unreadable
        where len(value) <= 100
        order by value
        limit 200
    ) as unreadable
    cross join {{ ref("column_names") }} as column_names
    cross join {{ ref("row_names") }} as row_names
    group by unreadable.value
),

map_edges as (
    select
        'this is no square of the map: its columns are '
        || min_by(column_names.name, column_names.x) || ' to '
        || max_by(column_names.name, column_names.x)
        || ' and its rows '
        || min_by(row_names.name, row_names.y) || ' to ' || max_by(row_names.name, row_names.y)
        || ', written column-row' as problem
    from {{ ref("column_names") }} as column_names
    cross join {{ ref("row_names") }} as row_names
)
{%- endif %}

select
    unreadable.sheet,
    unreadable.sheet_row,
    'square' as sheet_column,
    unreadable.value,
    {%- if lettered %}
    map_edges.problem,
    spellings.nearest
    {%- else %}
    'a square is named by its whole-number coordinates, x,y, each at most a billion' as problem,
    cast(null as varchar) as nearest
    {%- endif %}
{%- if lettered %}
from unreadable
left join spellings on unreadable.value = spellings.value
cross join map_edges
{%- else %}
from unreadable
{%- endif %}
