-- Error: it is not clear which state owns a unitary nation's squares.
{{- requires("states") }}
with

counted as (
    select
        nations.sheet_row,
        nations.nation,
        lower(nations.kind) as kind,
        nations.state,
        count(states.state) as states,
        bool_or(states.state = nations.state) as owner_is_national
    from {{ ref("sheet_nations") }} as nations
    left join {{ ref("sheet_states") }} as states on nations.nation = states.nation
    where nations.nation is not null
    group by
        nations.sheet_row,
        nations.nation,
        nations.kind,
        nations.state
)

select
    'nations' as sheet,
    counted.sheet_row,
    'state' as sheet_column,
    counted.state as value,
    case
        when counted.state is not null
            then counted.state || ' does not belong to ' || counted.nation || ', so it cannot own its squares'
        when counted.states = 0
            then counted.nation || ' is unitary and has no state: sheet states must list one'
        else
            counted.nation || ' is unitary and has ' || cast(counted.states as varchar)
            || ' states: name the one that owns its squares'
    end as problem,
    cast(null as varchar) as nearest
from counted
where
    (counted.kind is null or counted.kind in ('major', 'minor', 'unitary'))
    and (
        (
            counted.state is null
            and (counted.states = 0 or (counted.kind is not null and counted.states > 1))
        )
        or (
            not coalesce(counted.owner_is_national, false)
            -- A state that is not listed at all is an unknown state.
            and exists (
                from {{ ref("sheet_states") }} as listed
                where listed.state = counted.state
            )
        )
    )
