-- Error: nobody holds a city at the first turn.
{{- requires("control") }}
with

first_turn as (
    select coalesce(min(turn), 0) as turn
    from (
        select turn from {{ ref("typed_control") }}
        union all
        select turn from {{ ref("typed_alliances") }}
    ) as turns
),

first_held as (
    select
        city,
        min(turn) as turn
    from {{ ref("typed_control") }}
    group by city
)

select
    'cities' as sheet,
    cities.sheet_row,
    'city' as sheet_column,
    cities.city as value,
    'no state holds this city at the first turn, ' || cast(first_turn.turn as varchar)
    || case
        when first_held.turn is null then ': sheet control has no row for it'
        else ': its first row in sheet control is for turn ' || cast(first_held.turn as varchar)
    end as problem,
    cast(null as varchar) as nearest
from {{ ref("sheet_cities") }} as cities
cross join first_turn
left join first_held on cities.city = first_held.city
where
    cities.city is not null
    -- An entry whose turn cannot be read is a fault of its own.
    and cities.city not in (
        select unread.city from {{ ref("typed_control") }} as unread
        where unread.turn is null and unread.city is not null
    )
    and (first_held.turn is null or first_held.turn > first_turn.turn)
