-- Which state holds a city, and from which turn on?
-- One row for each city and turn in which it has an entry; it counts until the city's next entry.
-- Rules 1 to 3: who controls the nearest cities.
create table control (
    turn integer not null,
    city varchar not null references {{ ref("cities") }} (city),
    state varchar not null references {{ ref("states") }} (state),
    primary key (turn, city)
)
