-- Error: a city or unit stands on a square that sheet squares does not list.
{{- requires("squares") }}
{%- from "macros/unknown_values.sql" import unknown_values %}
with

{{ unknown_values(
    [("cities", ref("typed_cities"), "square"), ("units", ref("typed_units"), "square")],
    ref("typed_squares"), "square", "sheet squares does not list this square"
) }}
