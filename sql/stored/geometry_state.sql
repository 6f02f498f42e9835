-- Do squares and cities lie as they did when the geometry was stored?
-- One row; an error where they do not.
-- Not a rule: what is stored would answer for another map.
{%- from "macros/fingerprint.sql" import is_same_hash, lasting_fingerprint, quick_fingerprint with context %}
select
    case
        when {{ is_same_hash() }} and {{ quick_fingerprint(is_same_hash()) }} = quick_fingerprint then true
        when
            not {{ is_same_hash() }}
            and {{ lasting_fingerprint("not " ~ is_same_hash()) }} = lasting_fingerprint
            then true
        else
            error(
                'squares or cities have changed since the geometry was stored: store it again with '
                || 'Campaign.materialize(), or build the campaign again'
            )
    end as is_current
from {{ ref("stored_geometry") }}
