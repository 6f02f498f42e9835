{#- Numbers that change when a square or city is added, moved, renamed or taken away, or a square changes
    its nation or terrain. The quick one is DuckDB's own hash, which may be another in another release
    (`is_same_hash` asks); the lasting one is MD5, which takes five times as long. Sums, so that order does
    not matter. -#}
{%- macro is_same_hash() -%}
hash('nwol-sql') = (select stored_geometry.hash_sample from {{ ref("stored_geometry") }} as stored_geometry)
{%- endmacro -%}

{%- macro quick_fingerprint(condition="true") -%}
(
    select coalesce(sum(hash(square, x, y, nation, terrain)), 0) from {{ ref("squares") }}
    where {{ condition }}
)
+ (
    select coalesce(sum(hash(city, square)), 0) from {{ ref("cities") }}
    where {{ condition }}
)
{%- endmacro -%}

{%- macro lasting_fingerprint(condition="true") -%}
(
    select coalesce(sum(cast(
        md5_number_lower(
            square || chr(31) || x || chr(31) || y
            || chr(31) || coalesce(nation, '') || chr(31) || coalesce(terrain, '')
        ) as hugeint
    )), 0)
    from {{ ref("squares") }}
    where {{ condition }}
)
+ (
    select coalesce(sum(cast(md5_number_lower(city || chr(31) || square) as hugeint)), 0)
    from {{ ref("cities") }}
    where {{ condition }}
)
{%- endmacro -%}
