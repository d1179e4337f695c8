with

payees as (
    select * from {{ ref('int_payout_payees') }}
),

assignments as (
    select
        payees.payee_id,
        assignments.start_date as from_day,
        assignments.end_date + 1 as until_day
    from {{ ref('stg_payout_assignments') }} as assignments
    inner join payees using (structure_id, creator_id)
),

pauses as (
    select * from {{ ref('int_payout_pauses') }}
),

-- The number of assignments and pauses that begin, minus those that end, on each day with any.

edges as (
    select
        payee_id,
        from_day as day,
        1 as assigned,
        0 as paused
    from assignments
    union all
    select
        payee_id,
        until_day as day,
        -1 as assigned,
        0 as paused
    from assignments
    where until_day is not null
    union all
    select
        payee_id,
        from_day as day,
        0 as assigned,
        1 as paused
    from pauses
    union all
    select
        payee_id,
        until_day as day,
        0 as assigned,
        -1 as paused
    from pauses
    where until_day < 'infinity'
),

days as (
    select
        payee_id,
        day,
        sum(assigned) as assigned,
        sum(paused) as paused
    from edges
    group by payee_id, day
),

states as (
    select
        payee_id,
        day,
        case
            when sum(assigned) over until_day = 0 and sum(paused) over until_day = 0 then 'unassigned'
            when sum(assigned) over until_day = 0 then 'paused_unassigned'
            when sum(paused) over until_day = 0 then 'covered'
            else 'paused'
        end as state
    from days
    window until_day as (partition by payee_id order by day)
),

changes as (
    select * from states
    qualify state is distinct from coalesce(
        lag(state) over (partition by payee_id order by day), 'unassigned'
    )
)

select
    payee_id,
    state,
    day as from_day,
    coalesce(lead(day) over (partition by payee_id order by day), date 'infinity') as until_day
from changes
