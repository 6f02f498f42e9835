-- Error: a city stands on a square of no nation.
select
    'cities' as sheet,
    cities.sheet_row,
    'square' as sheet_column,
    cities.square as value,
    coalesce(cities.city, 'this city') || ' stands on a square of no nation, so it has none either' as problem,
    cast(null as varchar) as nearest
from {{ ref("typed_cities") }} as cities
inner join {{ ref("typed_squares") }} as squares on cities.square = squares.square
group by
    cities.sheet_row,
    cities.square,
    cities.city
having count(squares.nation) = 0
