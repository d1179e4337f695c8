{%- set full = computes_everything() %}
{%- set touched_payees = ref('int_touched_payees') %}

with

frozen as (
    select * from {{ ref('stg_payout_payment_accruals') }}
),

decided as (
    {%- for copied in ["frozen", ref('stg_payout_accrual_decisions')] %}
    {%- if not loop.first %}
    union all
    {%- endif %}
    select
        coalesce(adjusts_accrual_id, accrual_id) as accrual_id,
        structure_id,
        creator_id,
        period_end,
        copied_in
    from {{ copied }}
    {%- endfor %}
),

{% if not full -%}
by_decisions as (
    select accrual_id from decided
    where copied_in > {{ from_copy() }}
),

by_payments as (
    select coalesce(frozen.adjusts_accrual_id, frozen.accrual_id) as accrual_id
    from frozen
    inner join {{ ref('stg_payout_payments') }} as payments using (payment_id)
    where payments.copied_in > {{ from_copy() }}
),

-- What is owed may be none now: then nothing but the decision tells whose it is. Or it is of another
-- day now, as a threshold that is reached again after it was taken back.

by_earnings as (
    select decided.accrual_id
    from decided
    inner join {{ touched_payees }} as touched
        on {{ payee_id("decided") }} = touched.payee_id and decided.period_end >= touched.from_day
    where decided.period_end >= {{ least_of(touched_payees, "from_day", "date") }}
    union all
    select earned.accrual_id
    from {{ ref('payout_earned') }} as earned
    inner join {{ touched_payees }} as touched
        on earned.payee_id = touched.payee_id and earned.period_end >= touched.from_day
    semi join decided using (accrual_id)
    where earned.period_end >= {{ least_of(touched_payees, "from_day", "date") }}
),

{% endif -%}
touched as (
    {%- if full %}
    select accrual_id from decided
    {%- else %}
    select accrual_id from by_decisions
    union all
    select accrual_id from by_payments
    union all
    select accrual_id from by_earnings
    union all
    select accrual_id from {{ source('control', 'payout_unsettled') }}
    {%- endif %}
    {%- if follows_unfinished_run() %}
    union all
    select accrual_id from {{ this }}
    {%- endif %}
)

select distinct accrual_id
from touched
