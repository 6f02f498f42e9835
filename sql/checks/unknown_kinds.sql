-- Error: a nation's kind is none of the four.
{%- from "macros/unknown_values.sql" import unknown_values %}
with

kinds as (
    select unnest(['major', 'minor', 'unitary', 'fragmented']) as kind
),

nations as (
    select
        sheet_row,
        lower(kind) as kind
    from {{ ref("sheet_nations") }}
),

{{ unknown_values(
    [("nations", "nations", "kind")],
    "kinds", "kind", "the kind is not one of major, minor, unitary, fragmented"
) }}
