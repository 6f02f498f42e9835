-- In which turns did control or an alliance change?
-- One row for each turn with an entry in control or alliances.
-- Not a rule: what holds in a turn is the latest entry not after it.
select turn from {{ ref("control") }}
union
select turn from {{ ref("alliances") }}
