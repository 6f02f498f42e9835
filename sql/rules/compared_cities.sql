-- Which cities are squares compared with?
-- One row for each city: all of them; `ownership` narrows this to the cities of fragmented nations.
-- Rule 4.
select
    city,
    x,
    y,
    nation
from {{ ref("city_places") }}
