-- Error: two rows say different things of one pair of states in the same turn.
with

entries as (
    select
        sheet_row,
        first_state,
        second_state,
        turn,
        allied,
        first_value(allied) over first_entry as first_allied,
        first_value(sheet_row) over first_entry as first_row
    from {{ ref("typed_alliances") }}
    where
        first_state is not null
        and second_state is not null
        and turn is not null
        and allied is not null
    window first_entry as (partition by first_state, second_state, turn order by sheet_row)
)

select
    'alliances' as sheet,
    sheet_row,
    'allied' as sheet_column,
    cast(allied as varchar) as value,
    'row ' || cast(first_row as varchar) || ' says the opposite of ' || first_state || ' and '
    || second_state || ' in turn ' || cast(turn as varchar) as problem,
    cast(null as varchar) as nearest
from entries
where allied <> first_allied
