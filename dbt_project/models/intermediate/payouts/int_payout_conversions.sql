{{ config(materialized="view") }}

{%- set conversion -%}
{
            'conversion_id': conversion_id,
            'conversion_event_id': conversion_event_id,
            'occurred_at': {{ iso_instant("occurred_at") }},
            'quantity': quantity,
            'total_value_cents': total_value_cents
        }
{%- endset %}

with

payees as (
    select * from {{ ref('int_payout_payees') }}
),

rated as (
    select * from {{ ref('int_payout_rated_conversions') }}
),

-- Whole numbers of ten-thousandths of a cent: a flat amount for each, or basis points of the value.

by_rate as (
    select
        payee_id,
        period_start,
        subject_id,
        conversion_event_id,
        sum(
            if(
                rate_type = 'flat',
                cast(amount_cents as hugeint) * quantity * 10000,
                cast(total_value_cents as hugeint) * percent_bps
            )
        ) as earned,
        -- one value: a period has one version, which has one rate for each event
        if(
            any_value(rate_type) = 'flat',
            json_object('rate_type', 'flat', 'amount_cents', any_value(amount_cents)),
            json_object('rate_type', 'percent', 'percent_bps', any_value(percent_bps))
        ) as rate,
        json_object(
            'conversion_event_id', conversion_event_id,
            'conversions', count(*),
            'quantity', sum(quantity),
            'total_value_cents', sum(total_value_cents),
            'cents', cast({{ precise_cents("earned * 100000") }} as varchar)
        ) as outcome
    from rated
    group by payee_id, period_start, subject_id, conversion_event_id
),

priced as (
    select
        payee_id,
        period_start,
        subject_id,
        rules.bounded({{ precise_cents("sum(earned) * 100000") }}) as precise_amount,
        to_json({{ list_by("conversion_event_id", "json_merge_patch(rate, outcome)") }}) as rates
    from by_rate
    group by payee_id, period_start, subject_id
),

listed as (
    select
        payee_id,
        version_id,
        version_number,
        period_start,
        period_end,
        ends_at,
        subject_id,
        {{ list_by("occurred_at", conversion) }} as conversions
    from rated
    group by all
),

intervals as (
    select * from {{ ref('int_payout_intervals') }}
),

last_covered as (
    select
        payee_id,
        max(from_day) as from_day
    from intervals
    where state = 'covered'
    group by payee_id
),

-- Days that count unless payouts are paused: assigned ones, or with backfill all up to the last covered one
-- (M12). When paid one by one, a conversion is never prorated.

paused as (
    select distinct
        listed.payee_id,
        listed.period_start
    from listed
    inner join intervals
        on
            listed.payee_id = intervals.payee_id
            and listed.period_start < intervals.until_day
            and listed.period_end >= intervals.from_day
    inner join payees on listed.payee_id = payees.payee_id
    left join last_covered on listed.payee_id = last_covered.payee_id
    where
        listed.subject_id is null
        and (
            intervals.state = 'paused'
            or (
                intervals.state = 'paused_unassigned'
                and payees.backfill_on_assignment
                and intervals.from_day < last_covered.from_day
            )
        )
),

limited as (
    select
        listed.*,
        {{ limits({"paused": "paused.payee_id is not null"}) }} as limits
    from listed
    left join paused using (payee_id, period_start)
)

select
    payees.payee_id,
    payees.organization_id,
    payees.project_id,
    payees.structure_id,
    limited.version_id,
    limited.version_number,
    payees.creator_id,
    payees.criteria_type,
    limited.period_start,
    limited.period_end,
    limited.ends_at,
    limited.subject_id,
    cast(null as bigint) as view_count,
    'USD' as currency,
    {{ whole_cents("priced.precise_amount") }} as amount_cents,
    priced.precise_amount,
    limited.limits[1] as limited_by,
    payees.timezone,
    json_object(
        'type', 'conversion',
        'cadence', coalesce(payees.period, 'every_conversion'),
        'rates', priced.rates,
        'conversions', limited.conversions,
        'limited_by', limited.limits
    ) as evidence
from limited
inner join priced
    on
        limited.payee_id = priced.payee_id
        and limited.period_start = priced.period_start
        and limited.subject_id is not distinct from priced.subject_id
inner join payees on limited.payee_id = payees.payee_id
where {{ whole_cents("priced.precise_amount") }} > 0
