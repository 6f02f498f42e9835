-- What did each state gain and lose?
-- One row for each state that gained or lost a square, as its owner or as a sharer.
-- Rules 0 to 3c, counted by state.
with

rights as (
    select
        'old' as side,
        square,
        state,
        basis
    from {{ old }}.main.deployment
    where basis in ('owner', 'sharer')
    union all
    select
        'new' as side,
        square,
        state,
        basis
    from {{ new }}.main.deployment
    where basis in ('owner', 'sharer')
),

changed as (
    select
        square,
        state,
        basis,
        max(side) as side
    from rights
    group by
        square,
        state,
        basis
    having count(*) = 1
)

select
    state,
    count(*) filter (where basis = 'owner' and side = 'new') as gained,
    count(*) filter (where basis = 'owner' and side = 'old') as lost,
    count(*) filter (where basis = 'owner' and side = 'new')
    - count(*) filter (where basis = 'owner' and side = 'old') as net,
    count(*) filter (where basis = 'sharer' and side = 'new') as sharing_gained,
    count(*) filter (where basis = 'sharer' and side = 'old') as sharing_lost
from changed
group by state
