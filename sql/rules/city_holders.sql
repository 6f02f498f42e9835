-- Which state holds each city in each turn, and since when?
-- One row for each judged turn and city with an entry in control not after it.
-- Rules 1 to 3: control holds until the city's next entry.
select
    turns.turn,
    control.city,
    arg_max(control.state, control.turn) as state,
    max(control.turn) as since
from {{ ref("judged_turns") }} as turns
inner join {{ ref("control") }} as control on turns.turn >= control.turn
group by
    turns.turn,
    control.city
