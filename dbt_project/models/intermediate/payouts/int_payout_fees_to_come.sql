{#- Fees are not forecast: M10 gives them for the known covered days, period by period. -#}
with

months as (
    select
        organization_id,
        cut_day,
        last_day(cut_day + 1) as through_day
    from {{ ref('int_forecast_cuts') }}
),

payees as (
    select
        payees.payee_id,
        payees.organization_id,
        payees.project_id,
        payees.structure_id,
        payees.timezone,
        payees.period,
        months.cut_day,
        months.through_day,
        rules.period_start(months.cut_day + 1, payees.period, payees.period_anchor) as first_day
    from {{ ref('int_payout_payees') }} as payees
    inner join months using (organization_id)
    where payees.criteria_type = 'recurring'
),

coming as (
    select
        payees.*,
        covered.from_day,
        coalesce(covered.to_day, payees.through_day) as to_day
    from payees
    inner join {{ ref('payout_covered_days') }} as covered
        on
            payees.payee_id = covered.payee_id
            and payees.through_day >= covered.from_day
            and payees.first_day <= coalesce(covered.to_day, payees.first_day)
),

calendar as (
    select distinct
        structure_id,
        timezone,
        period,
        through_day,
        cast(
            unnest(
                generate_series(
                    cast(first_day as timestamp),
                    cast(through_day as timestamp),
                    {{ period_interval("period") }}
                )
            ) as date
        ) as period_start
    from coming
),

periods as (
    select
        structure_id,
        timezone,
        period_start,
        {{ next_period_start("period_start", "period") }} as next_start
    from calendar
    where next_start - 1 <= through_day
),

edges as (
    select distinct
        timezone as zone,
        next_start as day
    from periods
),

day_starts as (
    {{ day_starts("edges") }}
),

dated as (
    select
        periods.*,
        day_starts.starts_at as ends_at
    from periods
    inner join day_starts on periods.timezone = day_starts.zone and periods.next_start = day_starts.day
),

ruled as (
    select
        dated.*,
        cast(dated.next_start - dated.period_start as integer) as days,
        versions.amount_cents as full_cents,
        versions.proration_mode
    from dated
    inner join {{ ref('int_payout_versions') }} as versions
        on {{ in_force_at_end("versions", "dated") }}
),

covered as (
    select
        coming.payee_id,
        coming.organization_id,
        coming.project_id,
        coming.cut_day,
        coming.through_day,
        ruled.period_start,
        ruled.days,
        ruled.full_cents,
        ruled.proration_mode,
        cast(sum(
            least(coming.to_day + 1, ruled.next_start) - greatest(coming.from_day, ruled.period_start)
        ) as integer) as covered_days
    from coming
    inner join ruled
        on
            coming.structure_id = ruled.structure_id
            and coming.from_day < ruled.next_start
            and coming.to_day >= ruled.period_start
    group by all
),

priced as (
    select
        *,
        {{ whole_cents(prorated_cents("full_cents", "covered")) }} as amount_cents
    from covered
)

select
    priced.payee_id,
    priced.organization_id,
    priced.project_id,
    priced.cut_day,
    cast(priced.through_day - priced.cut_day as integer) as days,
    rules.bounded_cents(sum(priced.amount_cents - coalesce(earned.amount_cents, 0))) as to_come_cents
from priced
left join {{ ref('payout_earned') }} as earned
    on priced.payee_id = earned.payee_id and priced.period_start = earned.period_start
group by all
