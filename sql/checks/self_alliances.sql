-- Error: a state is allied with itself.
select
    'alliances' as sheet,
    sheet_row,
    'state_b' as sheet_column,
    state_b as value,
    'a state cannot be allied with itself' as problem,
    cast(null as varchar) as nearest
from {{ ref("typed_alliances") }}
where state_a = state_b
