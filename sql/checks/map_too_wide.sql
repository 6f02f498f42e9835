-- Error: the map spans so much that squared distances would not be exact.
{%- if rulings.metric == "manhattan" %}
with

extent as (
    select
        max_by(sheet_row, x) as sheet_row,
        max(x) - min(x) + max(y) - min(y) as span
    from {{ ref("typed_squares") }}
    -- What lies farther out is off the map, and said to be.
    where
        x between -1000000000 and 1000000000
        and y between -1000000000 and 1000000000
)

select
    'squares' as sheet,
    sheet_row,
    'x' as sheet_column,
    cast(span as varchar) as value,
    'columns and rows together span more than 3,000,000,000, so their square is not exact' as problem,
    cast(null as varchar) as nearest
from extent
where span > 3000000000
{%- else %}
select
    'squares' as sheet,
    sheet_row,
    'x' as sheet_column,
    cast(null as varchar) as value,
    cast(null as varchar) as problem,
    cast(null as varchar) as nearest
from {{ ref("typed_squares") }}
where false
{%- endif %}
