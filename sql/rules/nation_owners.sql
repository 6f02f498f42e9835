-- Is each nation fragmented, and if it is not, which state owns its squares?
-- One row for each nation.
-- Rule 0: a unitary nation's squares belong to its state. A nation of no given kind is fragmented if
-- it has several states.
{%- from "macros/is_fragmented.sql" import is_fragmented %}
select
    nations.nation,
    {{ is_fragmented("nations.kind", "states.state") }} as is_fragmented,
    coalesce(nations.state, min(states.state)) as state
from {{ ref("nations") }} as nations
left join {{ ref("states") }} as states on nations.nation = states.nation
group by
    nations.nation,
    nations.kind,
    nations.state
