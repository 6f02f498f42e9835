{#- How the text in a cell is read. `1.0` and `1,0` are 1 (spreadsheets write whole numbers so), but
    `1,000` is not: it could mean a thousand. -#}
{%- macro is_whole_number(text) -%}
regexp_full_match({{ text }}, '[+-]?[0-9]+([.,]0{1,2})?')
{%- endmacro -%}

{%- macro whole_number(text, type="bigint") -%}
case
    -- Digits as DuckDB would write them need no closer look.
    when cast(try_cast({{ text }} as {{ type }}) as varchar) = {{ text }}
        then try_cast({{ text }} as {{ type }})
    when {{ is_whole_number(text) }}
        then try_cast(regexp_replace({{ text }}, '[.,]0+$', '') as {{ type }})
end
{%- endmacro -%}

{%- macro truth_value(text) -%}
case
    when lower({{ text }}) in ('true', 't', 'yes', 'y', 'x', '1', '1.0', 'allied') then true
    when lower({{ text }}) in ('false', 'f', 'no', 'n', '0', '0.0') then false
end
{%- endmacro -%}
