{#- Whether a nation's squares are judged one by one (rule 0), in a query grouped by nation: by its kind or,
    if that is empty, because it has several states. -#}
{%- macro is_fragmented(kind, state) -%}
coalesce({{ kind }} = 'fragmented', count({{ state }}) > 1)
{%- endmacro -%}
