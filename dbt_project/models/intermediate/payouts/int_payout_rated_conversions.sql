{{ config(materialized="view") }}

with

touched_payees as (
    {{ scoped(ref('int_payout_payees'), ref('int_touched_payees'), "payee_id", tells=true) }}
),

payees as (
    select * from touched_payees
    where criteria_type = 'conversion'
),

runs as (
    select * from {{ ref('int_payout_runs') }}
),

dated as (
    select
        payees.*,
        conversions.* exclude (creator_id, project_id),
        {{ local_day("conversions.occurred_at", "offsets.utc_offset_seconds") }} as day
    from {{ ref('int_paying_conversions') }} as conversions
    inner join payees using (creator_id, project_id)
    inner join {{ ref('int_utc_offsets') }} as offsets
        on
            payees.timezone = offsets.zone
            and conversions.occurred_at >= offsets.starts_at
            and conversions.occurred_at < offsets.ends_at
),

covered as (
    select dated.*
    from dated
    inner join runs
        on
            dated.payee_id = runs.payee_id
            and dated.day >= runs.from_day
            and dated.day < runs.until_day
    where not dated.backfill_on_assignment
),

-- With backfill, all days up to the last covered one count, except paused ones, once the first covered day
-- has come.

reaches as (
    select
        payee_id,
        max(until_day) as until_day
    from runs
    group by payee_id
    having min(starts_at) <= {{ as_of() }}
),

backfilled as (
    select dated.*
    from dated
    inner join reaches on dated.payee_id = reaches.payee_id and dated.day < reaches.until_day
    anti join {{ ref('int_payout_pauses') }} as pauses
        on
            dated.payee_id = pauses.payee_id
            and dated.day >= pauses.from_day
            and dated.day < pauses.until_day
    where dated.backfill_on_assignment
),

counted as (
    select * from covered
    union all
    select * from backfilled
),

-- Each conversion's period, or its day if paid by itself, and the version in force at its end.

in_periods as (
    select
        *,
        rules.period_or_day(day, period, period_anchor) as period_start,
        coalesce({{ next_period_start("period_start", "period") }}, day + 1) as next_start,
        if(period is null, conversion_id, null) as subject_id
    from counted
    where next_start > touched_from
),

period_ends as (
    select distinct
        timezone as zone,
        next_start as day
    from in_periods
),

day_starts as (
    {{ day_starts("period_ends") }}
),

ended as (
    select
        in_periods.*,
        day_starts.starts_at as ends_at
    from in_periods
    inner join day_starts on in_periods.timezone = day_starts.zone and in_periods.next_start = day_starts.day
),

in_force as (
    select
        ended.*,
        versions.version_id,
        versions.version_number,
        versions.platform_scope,
        versions.platform,
        versions.account_id as scope_account_id
    from ended
    inner join {{ ref('int_payout_versions') }} as versions on {{ in_force_at_end("versions", "ended") }}
),

rates_of_versions as (
    select
        version_id,
        unnest(
            from_json(
                criteria_params -> 'rates',
                '[{
                    "conversion_event_id": "UUID",
                    "rate_type": "VARCHAR",
                    "amount_cents": "BIGINT",
                    "percent_bps": "BIGINT"
                }]'
            )
        ) as rate
    from {{ ref('int_payout_versions') }}
    where criteria_type = 'conversion'
),

rates as (
    select
        version_id,
        struct_extract(rate, 'conversion_event_id') as conversion_event_id,
        struct_extract(rate, 'rate_type') as rate_type,
        struct_extract(rate, 'amount_cents') as amount_cents,
        struct_extract(rate, 'percent_bps') as percent_bps
    from rates_of_versions
)

select
    in_force.payee_id,
    in_force.version_id,
    in_force.version_number,
    in_force.period_start,
    in_force.next_start - 1 as period_end,
    in_force.ends_at,
    in_force.subject_id,
    in_force.conversion_id,
    in_force.conversion_event_id,
    in_force.occurred_at,
    in_force.quantity,
    in_force.total_value_cents,
    rates.rate_type,
    rates.amount_cents,
    rates.percent_bps
from in_force
inner join rates using (version_id, conversion_event_id)
left join {{ ref('stg_accounts') }} as accounts on in_force.account_id = accounts.account_id
where
    in_force.platform_scope = 'all'
    or (in_force.platform_scope = 'platform' and in_force.platform = accounts.platform)
    or (in_force.platform_scope = 'account' and in_force.scope_account_id = in_force.account_id)
