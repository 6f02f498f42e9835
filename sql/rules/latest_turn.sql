-- Which turn is the latest?
-- One row.
-- Not a rule: `ownership` and `deployment` show this turn.
select coalesce(max(turn), 0) as turn from {{ ref("turns") }}
