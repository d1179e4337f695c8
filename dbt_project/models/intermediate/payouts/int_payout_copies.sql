with

touched as (
    select * from {{ ref('int_touched_accruals') }}
),

frozen as (
    select frozen.*
    from {{ ref('stg_payout_payment_accruals') }} as frozen
    semi join touched on coalesce(frozen.adjusts_accrual_id, frozen.accrual_id) = touched.accrual_id
    where frozen.is_live
),

decisions as (
    select decisions.*
    from {{ ref('stg_payout_accrual_decisions') }} as decisions
    semi join touched on coalesce(decisions.adjusts_accrual_id, decisions.accrual_id) = touched.accrual_id
),

payments as (
    select * from {{ ref('stg_payout_payments') }}
),

paid as (
    select
        {%- for column in accrual_columns() %}
            frozen.{{ column }},
        {%- endfor %}
        rules.copied_status(payments.status = 'paid') as status,
        frozen.payment_id,
        decisions.note
    from frozen
    inner join payments using (payment_id)
    left join decisions using (accrual_id)
),

waived as (
    select
        {%- for column in accrual_columns() %}
            decisions.{{ column }},
        {%- endfor %}
        'void' as status,
        cast(null as uuid) as payment_id,
        decisions.note
    from decisions
    anti join frozen using (accrual_id)
    where rules.is_waived(decisions.kind, decisions.decision)
)

select * from paid
union all
select * from waived
