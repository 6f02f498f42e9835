-- Which two states are allied (or no longer), and from which turn on?
-- One row for each pair of states and turn in which it has an entry, in either order.
-- Rules 2 and 3: an alliance is between two states only, never passed on to a third.
create table alliances (
    turn integer not null,
    state_a varchar not null references {{ ref("states") }} (state),
    state_b varchar not null references {{ ref("states") }} (state),
    allied boolean not null,
    check (state_a <> state_b),
    primary key (turn, state_a, state_b)
)
