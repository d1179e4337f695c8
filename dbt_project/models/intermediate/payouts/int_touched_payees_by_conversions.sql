{{ config(materialized="view") }}

with

days as (
    select * from {{ ref('int_payout_conversion_days') }}
),

published as (
    select * from {{ source('control', 'payout_conversion_days') }}
),

payees as (
    select * from {{ ref('int_payout_payees') }}
    where criteria_type = 'conversion'
),

changed_days as (
    select
        creator_id,
        utc_day
    from days
    full join published using (creator_id, utc_day)
    where
        days.conversions is distinct from published.conversions
        or days.digest is distinct from published.digest
),

-- A zone's day begins at most a day before the UTC day of the same date.

by_conversions as (
    select
        payees.payee_id,
        changed_days.utc_day - 1 as from_day
    from changed_days
    inner join payees using (creator_id)
),

first_runs as (
    select
        payee_id,
        min(starts_at) as starts_at
    from {{ ref('int_payout_runs') }}
    group by payee_id
),

-- Backfill starts once the first covered day has come (M12).

by_backfill as (
    select
        payees.payee_id,
        date '-infinity' as from_day
    from payees
    inner join first_runs using (payee_id)
    where
        payees.backfill_on_assignment
        and first_runs.starts_at > {{ previous_as_of() }}
        and first_runs.starts_at <= {{ as_of() }}
)

select * from by_conversions
union all
select * from by_backfill
