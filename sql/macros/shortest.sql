{#- The rows of `pairs` (square, city, squared_distance, and the columns `others`) at each square's
    shortest distance, all ties included, as common table expressions that end in `matches`. The minimum,
    joined back on equality, costs far less than ranking every pair. -#}
{%- macro shortest_of(pairs, others=[]) -%}
shortest as (
    select
        square,
        min(squared_distance) as squared_distance
    from {{ pairs }}
    group by square
),

matches as (
    select
        {{ pairs }}.square,
        {%- for other in others %}
        {{ pairs }}.{{ other }},
        {%- endfor %}
        {{ pairs }}.city,
        {{ pairs }}.squared_distance
    from {{ pairs }}
    inner join shortest
        on
            {{ pairs }}.square = shortest.square
            and {{ pairs }}.squared_distance = shortest.squared_distance
)
{%- endmacro -%}
