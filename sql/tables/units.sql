-- Which units are there, whose are they and where do they stand?
-- One row for each unit.
-- The rules for peacetime movement and for declaring war ask on whose ground units stand.
create table units (
    unit varchar primary key,
    state varchar not null,
    square varchar not null
)
