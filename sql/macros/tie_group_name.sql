{#- A tie group's name: its cities, sorted, joined by '; '. Semicolons are doubled so that no city's
    name can look like two cities. -#}
{%- macro tie_group_of_one(city) -%}
replace({{ city }}, ';', ';;')
{%- endmacro -%}

{%- macro tie_group_name(city) -%}
array_to_string(list_sort(list({{ tie_group_of_one(city) }})), '; ')
{%- endmacro -%}
