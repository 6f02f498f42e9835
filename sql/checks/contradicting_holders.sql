-- Error: two states hold one city in the same turn.
with

entries as (
    select
        sheet,
        sheet_row,
        city,
        state,
        turn,
        first_value(state) over first_entry as first_state,
        first_value(sheet) over first_entry as first_sheet,
        first_value(sheet_row) over first_entry as first_row
    from {{ ref("typed_control") }}
    where
        city is not null
        and state is not null
        and turn is not null
    window first_entry as (partition by city, turn order by sheet, sheet_row)
)

select
    sheet,
    sheet_row,
    'state' as sheet_column,
    state as value,
    city || ' is held by ' || first_state || ' in turn ' || cast(turn as varchar) || ' already (sheet '
    || first_sheet || ', row ' || cast(first_row as varchar) || ')' as problem,
    cast(null as varchar) as nearest
from entries
where state <> first_state
