-- Which states are there, and which nation does each belong to?
-- One row for each state.
-- Every rule: a state is national on the squares of its own nation.
create table states (
    state varchar primary key,
    nation varchar not null references {{ ref("nations") }} (nation),
    name varchar,
    color varchar
)
