-- Warning: a fragmented nation names an owner, who owns nothing by it.
{{- requires("states") }}
{%- from "macros/is_fragmented.sql" import is_fragmented %}
select
    'nations' as sheet,
    nations.sheet_row,
    'state' as sheet_column,
    nations.state as value,
    nations.nation || ' is fragmented, so its squares are judged one by one; this state is left out of account'
        as problem,
    cast(null as varchar) as nearest
from {{ ref("sheet_nations") }} as nations
left join {{ ref("sheet_states") }} as states on nations.nation = states.nation
where nations.state is not null
group by
    nations.sheet_row,
    nations.nation,
    nations.kind,
    nations.state
having {{ is_fragmented("lower(nations.kind)", "states.state") }}
