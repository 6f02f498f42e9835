{#- The squared distance between two places with whole-number x and y, by the ruling `metric`.
    Whole numbers throughout: multiplied, because powers and roots are floating point and would
    break ties that are exact. -#}
{%- macro squared_distance(a, b) -%}
{%- if rulings.metric == "euclidean" -%}
({{ a }}.x - {{ b }}.x) * ({{ a }}.x - {{ b }}.x) + ({{ a }}.y - {{ b }}.y) * ({{ a }}.y - {{ b }}.y)
{%- elif rulings.metric == "manhattan" -%}
(abs({{ a }}.x - {{ b }}.x) + abs({{ a }}.y - {{ b }}.y))
* (abs({{ a }}.x - {{ b }}.x) + abs({{ a }}.y - {{ b }}.y))
{%- else -%}
greatest(abs({{ a }}.x - {{ b }}.x), abs({{ a }}.y - {{ b }}.y))
* greatest(abs({{ a }}.x - {{ b }}.x), abs({{ a }}.y - {{ b }}.y))
{%- endif -%}
{%- endmacro -%}
