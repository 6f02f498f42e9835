{#- The rows whose value is none of the valid ones, each with the nearest valid spelling.
    `references` lists where such values stand: sheet, relation, column. -#}
{%- macro unknown_values(references, valid, valid_column, problem) -%}
named as (
    {%- for sheet, relation, column in references %}
    {{ "union all" if not loop.first }}
    select
        '{{ sheet }}' as sheet,
        sheet_row,
        '{{ column }}' as sheet_column,
        {{ column }} as value
    from {{ relation }}
    {%- endfor %}
),

mistaken as (
    select
        sheet,
        sheet_row,
        sheet_column,
        value
    from named
    where
        value is not null
        and not exists (
            select 1
            from {{ valid }} as valid
            where valid.{{ valid_column }} = named.value
        )
),

spellings as (
    select
        unknown.value,
        min(
            struct_pack(
                edits := damerau_levenshtein(lower(unknown.value), lower(valid.{{ valid_column }})),
                spelling := valid.{{ valid_column }}
            )
        ) as nearest
    -- A sheet full of mistakes, or a text without end, has no spelling to be searched for.
    from (
        select distinct value from mistaken
        where len(value) <= 100
        order by value
        limit 200
    ) as unknown
    inner join {{ valid }} as valid on valid.{{ valid_column }} is not null
    group by unknown.value
)

select
    mistaken.sheet,
    mistaken.sheet_row,
    mistaken.sheet_column,
    mistaken.value,
    '{{ problem }}' as problem,
    spellings.nearest.spelling as nearest
from mistaken
-- What has less than half in common is no help.
left join spellings
    on
        mistaken.value = spellings.value
        and spellings.nearest.edits <= greatest(1, len(mistaken.value) // 2)
        and spellings.nearest.edits < len(mistaken.value)
{%- endmacro -%}
