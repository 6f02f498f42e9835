{#- Squared distances between places with whole-number x and y, by the ruling `metric`.
    Whole numbers throughout: multiplied, because powers and roots are floating point and would
    break ties that are exact. -#}
{%- macro squared_length(columns, rows) -%}
{#- The squared length of a way of so many columns and rows, neither of them negative. -#}
{%- if rulings.metric == "euclidean" -%}
({{ columns }}) * ({{ columns }}) + ({{ rows }}) * ({{ rows }})
{%- elif rulings.metric == "manhattan" -%}
({{ columns }} + {{ rows }}) * ({{ columns }} + {{ rows }})
{%- else -%}
greatest({{ columns }}, {{ rows }}) * greatest({{ columns }}, {{ rows }})
{%- endif -%}
{%- endmacro -%}

{%- macro squared_distance(a, b, of_b="") -%}
{#- The squared distance between places in relations a and b; b's columns may have longer names, as first_x. -#}
{%- set columns, rows = a ~ ".x - " ~ b ~ "." ~ of_b ~ "x", a ~ ".y - " ~ b ~ "." ~ of_b ~ "y" -%}
{%- if rulings.metric == "euclidean" -%}
{{ squared_length(columns, rows) }}
{%- else -%}
{{ squared_length("abs(" ~ columns ~ ")", "abs(" ~ rows ~ ")") }}
{%- endif -%}
{%- endmacro -%}
