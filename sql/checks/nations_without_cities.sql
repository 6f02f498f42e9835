-- Warning: a fragmented nation has squares but no city, so nobody owns them.
{{- requires("states", "cities") }}
{%- from "macros/is_fragmented.sql" import is_fragmented %}
with

fragmented as (
    select
        nations.sheet_row,
        nations.nation
    from {{ ref("sheet_nations") }} as nations
    left join {{ ref("sheet_states") }} as states on nations.nation = states.nation
    where nations.nation is not null
    group by
        nations.sheet_row,
        nations.nation,
        nations.kind
    having {{ is_fragmented("lower(nations.kind)", "states.state") }}
)

select
    'nations' as sheet,
    sheet_row,
    'nation' as sheet_column,
    nation as value,
    'this fragmented nation has squares but no city, so nobody owns them' as problem,
    cast(null as varchar) as nearest
from fragmented
where
    nation in (
        select squares.nation
        from {{ ref("typed_squares") }} as squares
        where squares.nation is not null
    )
    and nation not in (
        select squares.nation
        from {{ ref("typed_cities") }} as cities
        inner join {{ ref("typed_squares") }} as squares on cities.square = squares.square
        where squares.nation is not null
    )
