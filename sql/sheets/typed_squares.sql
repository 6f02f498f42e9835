-- Which squares does the sheet name, read and placed?
-- One row for each row of sheet squares.
{%- from "macros/places.sql" import places %}
{{ places(ref("sheet_squares"), ["nation", "terrain"]) }}
