-- Error: `allied` says neither yes nor no.
select
    'alliances' as sheet,
    sheet_row,
    'allied' as sheet_column,
    allied_text as value,
    'allied is neither true nor false (yes, x and 1, or no and 0, will do)' as problem,
    cast(null as varchar) as nearest
from {{ ref("typed_alliances") }}
where
    allied_text is not null
    and allied is null
