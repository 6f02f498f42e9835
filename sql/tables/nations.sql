-- Which nations is the map divided into, and are they ruled by one state or by several?
-- One row for each nation.
-- Rules 0 to 3 ask whether a nation is unitary or fragmented.
create table nations (
    nation varchar primary key,
    name varchar,
    kind varchar check (kind in ('major', 'minor', 'unitary', 'fragmented')),
    state varchar
)
