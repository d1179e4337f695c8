{%- set touched = ref('int_touched_payees') %}
{%- set full = computes_everything() %}
{%- set published = source('control', 'payout_last_totals') %}
{%- set last_of_payee %}
    select
        totals.payee_id,
        max(totals.period_start) as period_start,
        max(totals.period_end) as period_end,
        arg_max(totals.carry_in, totals.period_start) as carry_in,
        arg_max(totals.carry_out, totals.period_start) as carry_out,
        arg_max(totals.running_total_before, totals.period_start) as running_total_before,
        arg_max(totals.running_total, totals.period_start) as running_total
    from {{ ref('int_payout_cpm_totals') }} as totals
{%- endset %}

with

fresh as (
    {{- last_of_payee }}
    {% if not full -%}
    inner join {{ touched }} as touched
        on totals.payee_id = touched.payee_id and totals.period_end >= touched.from_day
    where totals.period_end >= {{ least_of(touched, "from_day", "date") }}
    {% endif -%}
    group by totals.payee_id
),

kept as (
    select
        published.payee_id,
        published.period_start,
        published.period_end,
        published.carry_in,
        published.carry_out,
        published.running_total_before,
        published.running_total
    from {{ published }} as published
    anti join {{ touched }} as touched
        on published.payee_id = touched.payee_id and published.period_end >= touched.from_day
    anti join fresh on published.payee_id = fresh.payee_id
    where {{ not full }}
),

-- Payees whose last periods are no more.

shortened as (
    select published.payee_id
    from {{ published }} as published
    anti join fresh using (payee_id)
    anti join kept using (payee_id)
    where {{ not full }}
),

reopened as (
    {{- last_of_payee }}
    semi join shortened using (payee_id)
    group by totals.payee_id
)

select * from fresh
union all by name
select * from kept
union all by name
select * from reopened
