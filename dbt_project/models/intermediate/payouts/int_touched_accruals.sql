{%- set touched_payees = ref('int_touched_payees') %}

with

frozen as (
    select * from {{ ref('stg_payout_payment_accruals') }}
),

decided as (
    {%- for copied in ["frozen", ref('stg_payout_accrual_decisions')] %}
        {{ "union all" if not loop.first }}
        select
            coalesce(adjusts_accrual_id, accrual_id) as accrual_id,
            structure_id,
            creator_id,
            period_end,
            copied_in
        from {{ copied }}
    {%- endfor %}
),

-- In a full refresh, all accruals ever decided.

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

-- Nothing may be owed now: then only the decision identifies the payee. Or it may be owed on another day, for
-- example if a threshold was undone and reached again.

owed_when_decided as (
    select
        decided.accrual_id,
        {{ payee_id("decided") }} as payee_id,
        decided.period_end
    from decided
),

owed_then as (
    {{ scoped("owed_when_decided", touched_payees, "payee_id", at="period_end") }}
),

owed_now as (
    {{ scoped(ref('payout_earned'), touched_payees, "payee_id", at="period_end") }}
),

owed_now_and_decided as (
    select owed_now.accrual_id
    from owed_now
    semi join decided using (accrual_id)
),

touched as (
    {{ touched_by(
        ["by_payments", "owed_then", "owed_now_and_decided", source('control', 'payout_unsettled')],
        "accrual_id",
    ) }}
)

select accrual_id from by_decisions
union
select accrual_id from touched
