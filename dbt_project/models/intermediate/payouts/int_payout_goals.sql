{{ config(materialized="view") }}

{#- Fractions are integers with twelve decimals; the paid share of an amount has eighteen. -#}
{%- set whole = "1000000000000000000" %}

with

payees as (
    select * from {{ ref('int_payout_payees') }}
    where criteria_type = 'goals'
),

goals as (
    select
        *,
        actual >= target_value as is_met,
        {{ half_up(
            "cast(least(greatest(actual, 0), target_value) as hugeint) * 1000000000000", "target_value"
        ) }} as fraction
    from {{ ref('int_payout_goal_gains') }}
),

judged as (
    select
        payee_id,
        period_start,
        count(*) as goals,
        count(*) filter (where is_met) as met,
        sum(fraction) as fractions,
        to_json(
            list_sort(list({
                'goal_id': goal_id,
                'metric': metric,
                'platform': platform,
                'account_id': account_id,
                'counts_from': counts_from,
                'target': target_value,
                'actual': actual,
                'fraction': {{ decimal_text("fraction", 12) }},
                'is_met': is_met
            }))
        ) as evidence
    from goals
    group by payee_id, period_start
),

counts as (
    select
        payee_id,
        period_start,
        list_sort(list({
            'counter': counter,
            'video_id': video_id,
            'account_id': account_id,
            'platform': platform,
            'posted_at': posted_at,
            'count_from': count_from,
            'from_day': from_day,
            'count_to': count_to,
            'to_day': to_day,
            'is_first': is_first
        })) as goal_counts
    from {{ ref('int_payout_goal_counts') }}
    group by payee_id, period_start
),

periods as (
    select
        periods.*,
        payees.organization_id,
        payees.project_id,
        payees.structure_id,
        payees.creator_id,
        payees.criteria_type,
        payees.timezone,
        versions.amount_cents as full_cents,
        versions.proration_mode,
        versions.criteria_params ->> 'mode' as mode,
        cast(versions.criteria_params ->> 'n' as integer) as n,
        coalesce(cast(versions.criteria_params ->> 'partial_allowed' as boolean), false) as partial_allowed,
        {{ millionths("versions.criteria_params ->> 'partial_multiplier'", 1) }} as multiplier,
        {{ millionths("versions.criteria_params ->> 'min_completion_pct'", 0) }} as min_completion
    from {{ ref('int_payout_periods') }} as periods
    inner join payees using (payee_id)
    inner join {{ ref('int_payout_versions') }} as versions using (version_id)
),

met as (
    select
        periods.*,
        judged.met,
        judged.evidence as goals,
        coalesce(counts.goal_counts, []) as goal_counts,
        case periods.mode
            when 'all' then judged.met = judged.goals
            when 'any' then judged.met >= 1
            when 'n_of_m' then judged.met >= periods.n
        end as is_met,
        if(
            periods.mode = 'all' and periods.partial_allowed and not is_met,
            {{ half_up("judged.fractions", "judged.goals") }},
            null
        ) as completion
    from periods
    inner join judged using (payee_id, period_start)
    left join counts using (payee_id, period_start)
),

-- The share of the amount that the goals grant, times 10^18: all of it, or completion times multiplier if
-- enough is complete.

fulfilled as (
    select
        *,
        case
            when is_met then cast({{ whole }} as hugeint)
            when completion * 100 >= min_completion * 1000000 then completion * multiplier
            else 0
        end as fulfilment
    from met
),

priced as (
    select
        *,
        {{ limits(dict(goals_not_met="fulfilment < " ~ whole, **limits_of_days("fulfilled"))) }} as limits,
        {{ precise_cents(half_up(
            "cast(full_cents as hugeint) * fulfilment * (" ~ paid_days("fulfilled") ~ ")",
            "cast(days as hugeint) * 1000000000"
        )) }} as precise_amount
    from fulfilled
)

select
    {{ earning_of_period(whole_cents("precise_amount")) }},
    json_object(
        'type', 'goals',
        'amount_cents', full_cents,
        'proration_mode', proration_mode,
        'days', days,
        'covered_days', covered_days,
        'paused_days', paused_days,
        'mode', mode,
        'n', n,
        'met', met,
        'goals', goals,
        'partial_allowed', partial_allowed,
        'partial_multiplier', {{ decimal_text("multiplier", 6) }},
        'min_completion_pct', {{ decimal_text("min_completion", 6) }},
        'completion_pct', {{ decimal_text("completion", 12) }},
        'fraction_paid', {{ decimal_text("fulfilment", 18) }},
        'limited_by', limits
    ) as evidence,
    goal_counts
from priced
where {{ whole_cents("precise_amount") }} > 0
