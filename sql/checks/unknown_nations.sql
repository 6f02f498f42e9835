-- Error: a nation is named that sheet nations does not list.
{{- requires("nations") }}
{%- from "macros/unknown_values.sql" import unknown_values %}
with

{{ unknown_values(
    [("states", ref("sheet_states"), "nation"), ("squares", ref("sheet_squares"), "nation")],
    ref("sheet_nations"), "nation", "sheet nations does not list this nation"
) }}
