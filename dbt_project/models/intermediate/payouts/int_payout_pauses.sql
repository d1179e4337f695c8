with

pauses as (
    select * from {{ ref('stg_payout_pauses') }}
),

payees as (
    select * from {{ ref('int_payout_payees') }}
),

offsets as (
    select * from {{ ref('int_utc_offsets') }}
),

dated as (
    select
        payees.payee_id,
        payees.period,
        payees.period_anchor,
        {{ local_day("pauses.paused_at", "at_pause.utc_offset_seconds") }} as paused_on,
        {{ local_day("pauses.restarted_at", "at_restart.utc_offset_seconds") }} as restarted_on
    from pauses
    inner join payees using (creator_id)
    inner join offsets as at_pause
        on
            payees.timezone = at_pause.zone
            and pauses.paused_at >= at_pause.starts_at
            and pauses.paused_at < at_pause.ends_at
    left join offsets as at_restart
        on
            payees.timezone = at_restart.zone
            and pauses.restarted_at >= at_restart.starts_at
            and pauses.restarted_at < at_restart.ends_at
),

resumed as (
    select
        *,
        case
            when restarted_on is null then date 'infinity'
            when period is null then restarted_on + 1
            else {{ next_period_start("rules.period_start(restarted_on, period, period_anchor)", "period") }}
        end as resumes_on
    from dated
)

select
    payee_id,
    paused_on + 1 as from_day,
    resumes_on as until_day
from resumed
where paused_on + 1 < resumes_on
