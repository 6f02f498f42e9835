-- How were the points read on which the rule texts are silent or ambiguous?
-- One row for each ruling: a record of what the views were compiled with; to change one, build again.
-- The rules that each ruling touches are named in its summary.
create table rulings (
    ruling varchar primary key,
    value varchar not null,
    meaning varchar not null,
    summary varchar not null,
    ruleset varchar not null,
    ruleset_value varchar not null,
    title varchar not null
)
