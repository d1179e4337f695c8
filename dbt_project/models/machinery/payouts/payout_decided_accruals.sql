{{ config(
    materialized="incremental",
    meta={"key": "accrual_id", "replaces": "accruals", "touched": "int_touched_accruals"}
) }}

with

decisions as (
    select * from {{ ref('stg_payout_accrual_decisions') }}
),

organizations as (
    select * from {{ ref('stg_organizations') }}
),

copies as (
    select * from {{ ref('int_payout_copies') }}
),

earnings as (
    select earned.*
    from {{ ref('payout_earned') }} as earned
    semi join {{ ref('int_touched_accruals') }} using (accrual_id)
    anti join copies using (accrual_id)
),

-- Adjustments are final immediately.

timed as (
    select
        {{- as_accrual("earnings", as_of()) }},
        earnings.is_checked,
        rules.status_by_time(
            {{ as_of() }},
            earnings.ends_at,
            earnings.period_end,
            earnings.timezone,
            rules.settling_days(organizations.payout_settling_days, earnings.is_checked)
        ) as status_by_time
    from earnings
    inner join organizations on earnings.organization_id = organizations.organization_id
    union all by name
    select
        adjustments.*,
        'final' as status_by_time
    from {{ ref('int_payout_adjustments') }} as adjustments
),

decided as (
    select
        {%- for column in accrual_columns() %}
            timed.{{ column }},
        {%- endfor %}
        timed.evidence,
        rules.decided_status(
            decisions.decision,
            decisions.amount_cents,
            timed.amount_cents,
            timed.status_by_time,
            timed.is_checked
        ) as status,
        rules.decided_note(
            decisions.decision, decisions.amount_cents, timed.amount_cents, decisions.note
        ) as note
    from timed
    left join decisions using (accrual_id)
)

select
    {%- for column in accrual_columns() %}
        {{ column }},
    {%- endfor %}
    evidence,
    status,
    cast(null as uuid) as payment_id,
    note
from decided
union all
select
    {%- for column in accrual_columns() %}
        {{ column }},
    {%- endfor %}
    cast(null as json) as evidence,
    status,
    payment_id,
    note
from copies
