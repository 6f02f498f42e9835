-- Which turns are judged?
-- One row for each turn: all of them; `ownership` narrows this to the latest.
-- Not a rule.
select turn from {{ ref("turns") }}
