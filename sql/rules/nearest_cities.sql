-- Which city of its own nation is nearest to each square?
-- One row for each square and city at rank 1: every equally near city is a row.
-- Rules 1 to 4: "nearest" counts own-nation cities only, and ties are exact.
select
    square,
    city,
    squared_distance
from {{ ref("nearest_matches") }}
