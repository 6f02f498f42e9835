-- Which map do squares and cities make, as numbers that change when it does?
-- One row.
-- Not a rule: stored beside the geometry, it tells whether that is still the map's.
{%- from "macros/fingerprint.sql" import lasting_fingerprint, quick_fingerprint with context %}
select
    hash('nwol-sql') as hash_sample,
    {{ quick_fingerprint() }} as quick_fingerprint,
    {{ lasting_fingerprint() }} as lasting_fingerprint
