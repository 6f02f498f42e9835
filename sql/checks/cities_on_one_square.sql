-- Error: two cities stand on one square.
with

placed as (
    select
        sheet_row,
        city,
        square,
        first_value(city) over (partition by square order by sheet_row) as first_city,
        min(sheet_row) over (partition by square) as first_row
    from {{ ref("typed_cities") }}
    where square is not null
)

select
    'cities' as sheet,
    sheet_row,
    'square' as sheet_column,
    square as value,
    coalesce(first_city, 'another city') || ' (row ' || cast(first_row as varchar)
    || ') stands on this square already' as problem,
    cast(null as varchar) as nearest
from placed
where
    sheet_row > first_row
    -- The same city twice is a doubled key.
    and city is distinct from first_city
