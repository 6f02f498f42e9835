-- Which cities are there, and on which squares?
-- One row for each city. It belongs to the nation of its square.
-- Rules 1 to 4: the nearest cities decide.
create table cities (
    city varchar primary key,
    square varchar not null unique,
    level integer
)
