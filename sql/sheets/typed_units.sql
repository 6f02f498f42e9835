-- Which units does the sheet name, read and placed?
-- One row for each row of sheet units.
{%- from "macros/places.sql" import places %}
{{ places(ref("sheet_units"), ["unit", "state"], has_coordinates=false) }}
