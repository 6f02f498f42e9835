{#- The rows of `pairs` (square, city, squared_distance) at each square's shortest distance, all ties
    included, as common table expressions that end in `matches`. The minimum, joined back on equality,
    costs far less than ranking every pair. -#}
{%- macro shortest_of(pairs) -%}
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
        {{ pairs }}.city,
        {{ pairs }}.squared_distance
    from {{ pairs }}
    inner join shortest
        on
            {{ pairs }}.square = shortest.square
            and {{ pairs }}.squared_distance = shortest.squared_distance
)
{%- endmacro -%}
