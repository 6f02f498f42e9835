-- Warning: the same alliance is given twice for one turn.
with

entries as (
    select
        sheet_row,
        first_state,
        second_state,
        min(sheet_row) over (partition by first_state, second_state, turn, allied) as first_row
    from {{ ref("typed_alliances") }}
    where
        first_state <> second_state
        and turn is not null
        and allied is not null
)

select
    'alliances' as sheet,
    sheet_row,
    'state_a' as sheet_column,
    first_state || ', ' || second_state as value,
    'row ' || cast(first_row as varchar) || ' says the same; it counts once' as problem,
    cast(null as varchar) as nearest
from entries
where sheet_row > first_row
