-- Which squares is the map made of, where do they lie and in which nation?
-- One row for each square. Squares of no nation (sea) have no nation.
-- Rule 4: only cities of the square's nation count.
create table squares (
    square varchar primary key,
    x bigint not null,
    y bigint not null,
    nation varchar,
    terrain varchar
)
