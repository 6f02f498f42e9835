-- Which set of equally near cities does each square fall to?
-- One row for each square with a city in its nation.
-- Rules 1 to 3: squares with the same nearest cities have the same verdict.
select
    square,
    -- Semicolons are doubled so that no city's name can look like two cities.
    array_to_string(list_sort(list(replace(city, ';', ';;'))), '; ') as tie_group,
    list_sort(list(city)) as cities,
    min(squared_distance) as squared_distance
from {{ ref("nearest_cities") }}
group by square
