{{ config(
    materialized="incremental",
    meta={"key": "payee_id", "replaces": "periods", "touched": "int_touched_payees"}
) }}

-- depends_on: {{ ref('int_touched_payees') }}

{%- set before %}
    select
        old.payee_id,
        old.period_start,
        old.carried_on as carry_out,
        old.running_total
    from {{ this }} as old
    inner join reopening on old.payee_id = reopening.payee_id and old.period_end < reopening.touched_from
{%- endset %}

{%- set pays =
    "before.carry + next.impressions + " ~ retained_since("next.retained", "before.paid_on")
    ~ " >= next.min_impressions"
%}

with

payees as (
    select
        payees.payee_id,
        {{ local_day(as_of(), "offsets.utc_offset_seconds") }} as today
    from {{ ref('int_payout_payees') }} as payees
    inner join {{ ref('int_utc_offsets') }} as offsets
        on
            payees.timezone = offsets.zone
            and {{ as_of() }} >= offsets.starts_at
            and {{ as_of() }} < offsets.ends_at
    where payees.criteria_type = 'cpm'
),

rules as (
    select * from {{ ref('int_payout_cpm_rules') }}
),

views as (
    select * from {{ ref('int_payout_views') }}
),

-- Views of posts that no longer count, except in a later frozen period, which pays the views carried into it
-- (M13).

retained_later as (
    select
        payee_id,
        period_start,
        unnest(retained_later) as retained
    from views
),

retained as (
    select
        retained_later.payee_id,
        retained_later.retained.retained_in as period_start,
        list_sort(list({
            'period_start': retained_later.period_start,
            'views': retained_later.retained.views
        })) as retained
    from retained_later
    group by all
),

periods as (
    select
        periods.payee_id,
        periods.period_start,
        periods.period_end,
        rules.version_id,
        rules.min_impressions,
        coalesce(views.views, 0) as impressions,
        impressions - coalesce(views.retained_views, 0) as counted_views,
        retained.retained
    from {{ ref('int_payout_periods') }} as periods
    inner join payees using (payee_id)
    inner join rules using (version_id)
    left join views using (payee_id, period_start)
    left join retained using (payee_id, period_start)
    where periods.covered[1]['from'] <= payees.today
),

-- Rows before a payee's first touched day stay as published; all others are recomputed, even if no period is
-- left of those published later.

touched as (
    {{ scoped("payees", ref('int_touched_payees'), "payee_id", tells=true) }}
),

published as (
    {{ past(source('control', 'payout_last_totals')) }}
),

last_totals as (
    select
        touched.payee_id,
        touched.touched_from,
        published.period_start,
        published.period_end,
        published.carry_in,
        published.carry_out,
        published.running_total_before,
        published.running_total
    from touched
    inner join published using (payee_id)
),

reopening as (
    select * from last_totals
    where touched_from < period_start
),

left_over as (
    select
        payee_id,
        date '-infinity' as period_start,
        cast(0 as bigint) as carry_out,
        cast(0 as decimal(38, 9)) as running_total
    from touched
    union all
    select
        payee_id,
        period_start,
        if(touched_from > period_end, carry_out, carry_in) as carry_out,
        if(touched_from > period_end, running_total, running_total_before) as running_total
    from last_totals
    where touched_from >= period_start
    {{ opening(before) }}
),

begun as (
    select
        payee_id,
        arg_max(carry_out, period_start) as carry,
        arg_max(running_total, period_start) as total
    from left_over
    group by payee_id
),

-- Which periods pay: a fold, because each depends on what the periods before it carried over.

listed as (
    select
        periods.payee_id,
        any_value(begun.carry) as carry, -- one value: each payee begins once
        list_sort(list({
            'period_start': periods.period_start,
            'paid_on': date '-infinity',
            'carry': cast(0 as bigint),
            'pays': '',
            'impressions': periods.impressions,
            'counted_views': periods.counted_views,
            'retained': periods.retained,
            'min_impressions': periods.min_impressions
        })) as periods
    from periods
    inner join begun using (payee_id)
    group by periods.payee_id
),

folded as (
    select
        -- noqa: disable=all
        -- sqruff 0.44 parses no lambda of two parameters.
        payee_id,
        list_transform(periods, lambda next: next.period_start) as starts,
        list_reduce(
            periods,
            lambda before, next: {
                'period_start': next.period_start,
                'paid_on': if(
                    {{ pays }}, next.period_start, before.paid_on
                ),
                'carry': if({{ pays }}, 0, before.carry + next.counted_views),
                'pays': before.pays || if({{ pays }}, '1', '0'),
                'impressions': next.impressions,
                'counted_views': next.counted_views,
                'retained': next.retained,
                'min_impressions': next.min_impressions
            },
            {
                'period_start': cast(null as date),
                'paid_on': date '-infinity',
                'carry': carry,
                'pays': '',
                'impressions': cast(0 as bigint),
                'counted_views': cast(0 as bigint),
                'retained': null,
                'min_impressions': cast(0 as bigint)
            }
        ).pays as pays
    -- noqa: enable=all
    from listed
),

decided as (
    select
        payee_id,
        unnest(starts) as period_start,
        unnest(string_split(pays, '')) = '1' as pays
    from folded
),

numbered as (
    select
        *,
        coalesce(sum(cast(pays as integer)) over earlier, 0) as payments_before,
        coalesce(max(period_start) filter (where pays) over earlier, date '-infinity') as paid_on
    from decided
    window earlier as (
        partition by payee_id order by period_start rows between unbounded preceding and 1 preceding
    )
),

carried as (
    select
        periods.*,
        numbered.pays,
        begun.total,
        cast(
            coalesce(sum(periods.counted_views) over since_paid, 0)
            + if(numbered.payments_before = 0, begun.carry, 0) as bigint
        ) as carried_views,
        carried_views + {{ retained_since("periods.retained", "numbered.paid_on") }} as carry_in
    from periods
    inner join numbered using (payee_id, period_start)
    inner join begun using (payee_id)
    window since_paid as (
        partition by periods.payee_id, numbered.payments_before order by periods.period_start
        rows between unbounded preceding and 1 preceding
    )
),

priced as (
    select
        carried.*,
        carried.impressions + carried.carry_in as payable,
        if(carried.pays, 0, payable) as carry_out,
        if(carried.pays, 0, carried.carried_views + carried.counted_views) as carried_on,
        {{ precise_cents(tiered_billionths("payable", "rules.tiers")) }} as price,
        if(carried.pays, price, 0) as before_cap_cents,
        rules.bounded(least(before_cap_cents, rules.max_payout_cents)) as precise_amount
    from carried
    inner join rules using (version_id)
)

select
    payee_id,
    period_start,
    period_end,
    impressions,
    carry_in,
    carry_out,
    carried_views,
    carried_on,
    before_cap_cents,
    precise_amount,
    total + sum(precise_amount) over until_period as running_total,
    running_total - precise_amount as running_total_before
from priced
window until_period as (partition by payee_id order by period_start)
order by period_start
