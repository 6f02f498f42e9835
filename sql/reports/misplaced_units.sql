-- Which units of the sheet stand, at the latest turn, where their state may not deploy in peacetime?
-- One row for each such unit: a warning of `check`, for in war they may well stand there.
-- The rules for peacetime movement.
select
    'units' as sheet,
    sheet.sheet_row,
    'square' as sheet_column,
    positions.square as value,
    positions.unit || ' (' || positions.state || ') may not deploy here in peacetime: the square is '
    || case positions.status
        when 'owned' then 'owned by ' || positions.owner
        when 'outside' then 'outside all nations'
        else positions.status
    end as problem
from {{ new }}.main.unit_positions as positions
inner join sheet_units as sheet on positions.unit = sheet.unit
where not positions.may_deploy
