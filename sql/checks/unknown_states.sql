-- Error: a state is named that sheet states does not list.
{{- requires("states") }}
{%- from "macros/unknown_values.sql" import unknown_values %}
with

{{ unknown_values(
    [
        ("nations", ref("sheet_nations"), "state"), ("cities", ref("sheet_cities"), "state"),
        ("control", ref("sheet_control"), "state"), ("alliances", ref("sheet_alliances"), "state_a"),
        ("alliances", ref("sheet_alliances"), "state_b"), ("alliances", ref("matrix_names"), "state"),
        ("units", ref("sheet_units"), "state"),
    ],
    ref("sheet_states"), "state", "sheet states does not list this state"
) }}
