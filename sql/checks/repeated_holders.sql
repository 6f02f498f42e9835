-- Warning: the same holder of a city is given twice for one turn.
with

entries as (
    select
        sheet,
        sheet_row,
        city,
        state,
        turn,
        min(sheet_row) over (partition by city, state, turn) as first_row
    from {{ ref("typed_control") }}
    where
        sheet = 'control'
        and city is not null
        and state is not null
        and turn is not null
)

select
    sheet,
    sheet_row,
    'city' as sheet_column,
    city as value,
    'row ' || cast(first_row as varchar) || ' says the same; it counts once' as problem,
    cast(null as varchar) as nearest
from entries
where sheet_row > first_row
