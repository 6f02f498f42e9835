-- Where does each city stand, and to which nation does it belong?
-- One row for each city on a square of a nation.
-- Rule 4: a city belongs to the nation of its square.
select
    cities.city,
    squares.square,
    squares.x,
    squares.y,
    squares.nation
from {{ ref("cities") }} as cities
inner join {{ ref("squares") }} as squares on cities.square = squares.square
where squares.nation is not null
