-- Which clauses can decide a square, and what does each one say?
-- One row for each clause.
-- Rules 0 to 3c.
{%- set national = "" if rulings.foreign_group_owns == "true" else "national " %}
{%- set the_rest = "all the other sides" if rulings.group_allies == "all_sides" else "all the other national sides" %}
create table rules (
    rule varchar primary key,
    status varchar not null check (status in ('owned', 'shared', 'neutral', 'unowned')),
    summary varchar not null
);

insert into rules values
(
    '0', 'owned',
    'The square lies in a unitary nation and belongs to its state, whichever cities are near.'
),
(
    'none', 'unowned',
    'The square lies in a fragmented nation that has no city, so nobody owns it.'
),
(
    '1a', 'owned',
    'A single city of the nation is nearest, and the national state that holds it owns the square.'
),
(
    '1b', 'neutral',
    'A single city of the nation is nearest, and no national state holds it: the square is neutral.'
),
(
    '2a', 'owned',
    'Two cities of the nation are equally near and one side holds both: that side owns the square.'
),
(
    '2b', 'owned',
    'Two cities of the nation are equally near; of the two sides that hold them only one is national, '
    'and it owns the square.'
),
(
    '2c', 'shared',
    'Two cities of the nation are equally near and two allied national sides hold them: neither owns '
    'the square, and both may deploy there, as may every state allied with both.'
),
(
    '2d', 'unowned',
    'Two cities of the nation are equally near, and neither one side alone nor two allied national '
    'sides hold them: nobody owns the square and nobody may deploy there.'
),
(
    '3a', 'owned',
    'Three or more cities of the nation are equally near and one '
    '{{ national }}side holds them all: '
    'it owns the square.'
),
(
    '3b', 'shared',
    'Three or more cities of the nation are equally near, and every national side that holds one is '
    'allied with {{ the_rest }} that hold one: '
    'nobody owns the square, and the national sides may deploy there, as may every state allied with '
    'all of them.'
),
(
    '3c', 'unowned',
    'Three or more cities of the nation are equally near, and they are neither in one '
    '{{ national }}hand nor in the hands of '
    'national sides allied with all the rest: nobody owns the square and nobody may deploy there.'
)
