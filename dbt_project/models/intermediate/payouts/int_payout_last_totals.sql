{%- set touched = ref('int_touched_payees') %}
{%- set totals = ref('int_payout_cpm_totals') %}

with

published as (
    {{ past(source('control', 'payout_last_totals')) }}
),

computed as (
    {{ scoped(totals, touched, "payee_id", at="period_end") }}
),

earlier as (
    select published.*
    from published
    anti join {{ touched }} as touched
        on published.payee_id = touched.payee_id and published.period_end >= touched.from_day
    anti join computed on published.payee_id = computed.payee_id
),

-- Payees whose last periods no longer exist.

shortened as (
    select payee_id from published
    anti join computed using (payee_id)
    anti join earlier using (payee_id)
),

latest as (
    select * from computed
    union all
    select totals.*
    from {{ totals }} as totals
    semi join shortened using (payee_id)
)

select
    payee_id,
    max(period_start) as period_start,
    max(period_end) as period_end,
    arg_max(carried_views, period_start) as carry_in,
    arg_max(carried_on, period_start) as carry_out,
    arg_max(running_total_before, period_start) as running_total_before,
    arg_max(running_total, period_start) as running_total
from latest
group by payee_id
union all by name
select
    payee_id,
    period_start,
    period_end,
    carry_in,
    carry_out,
    running_total_before,
    running_total
from earlier
