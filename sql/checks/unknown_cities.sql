-- Error: a city is named that sheet cities does not list.
{{- requires("cities") }}
{%- from "macros/unknown_values.sql" import unknown_values %}
with

{{ unknown_values(
    [("control", ref("sheet_control"), "city")],
    ref("sheet_cities"), "city", "sheet cities does not list this city"
) }}
