-- Which clause decides each tie group, and who owns its squares?
-- One row for each turn and tie group of a fragmented nation.
-- Rules 1a to 3c.
{{ narrow(compared_cities="fragmented_cities", judged_tie_groups="fragmented_tie_groups") }}
with

sides as (
    select
        turn,
        tie_group,
        sum(held_cities) as tied_cities,
        count(*) as sides,
        count(*) filter (where is_national) as national_sides,
        count(*) filter (where state is null) as unheld_sides,
        min(state) as first_state,
        min(state) filter (where is_national) as first_national_state,
        nullif(array_to_string(list_sort(list(state)), '; '), '') as side_names
    from {{ ref("tie_group_sides") }}
    group by
        turn,
        tie_group
),

missing_alliances as (
    select
        turn,
        tie_group,
        count(*) as missing_alliances
    from {{ ref("tie_group_side_pairs") }}
    where
        is_needed
        and not is_allied
    group by
        turn,
        tie_group
),

counted as (
    select
        sides.turn,
        sides.tie_group,
        sides.tied_cities,
        sides.sides,
        sides.national_sides,
        sides.first_state,
        sides.first_national_state,
        sides.side_names,
        coalesce(missing_alliances.missing_alliances, 0)
        {%- if rulings.group_allies == "all_sides" %}
        -- Nobody can be allied with the holder of a city that nobody holds.
        + sides.unheld_sides
        {%- endif %} as missing_alliances
    from sides
    left join missing_alliances
        on
            sides.turn = missing_alliances.turn
            and sides.tie_group = missing_alliances.tie_group
),

judged as (
    select
        turn,
        tie_group,
        side_names,
        first_state,
        first_national_state,
        case
            when tied_cities = 1 and national_sides = 1 then '1a'
            when tied_cities = 1 then '1b'
            when tied_cities = 2
                then
                    case
                        {%- if rulings.foreign_pair_owns == "true" %}
                        when sides = 1 and first_state is not null then '2a'
                        {%- else %}
                        -- Ruling foreign_pair_owns: the one side must be national.
                        when sides = 1 and national_sides = 1 then '2a'
                        {%- endif %}
                        when sides = 2 and national_sides = 1 then '2b'
                        when national_sides = 2 and missing_alliances = 0 then '2c'
                        else '2d'
                    end
            {%- if rulings.foreign_group_owns == "true" %}
            when sides = 1 and first_state is not null then '3a'
            {%- else %}
            -- Ruling foreign_group_owns: the one side must be national.
            when sides = 1 and national_sides = 1 then '3a'
            {%- endif %}
            -- At least one national side: an empty check must not pass.
            when national_sides >= 1 and missing_alliances = 0 then '3b'
            else '3c'
        end as rule
    from counted
)

select
    judged.turn,
    judged.tie_group,
    judged.rule,
    rules.status,
    case
        when judged.rule in ('1a', '2b') then judged.first_national_state
        when judged.rule in ('2a', '3a') then judged.first_state
    end as owner,
    tie_groups.tied_cities,
    array_to_string(tie_groups.cities, '; ') as cities,
    judged.side_names as sides
from judged
inner join {{ ref("judged_tie_groups") }} as tie_groups on judged.tie_group = tie_groups.tie_group
inner join {{ ref("rules") }} as rules on judged.rule = rules.rule
