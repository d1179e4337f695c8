{{ config(
    materialized="continued",
    meta={"key": "accrual_id", "replaces": "accruals", "touched": "int_touched_accruals"}
) }}

with

decisions as (
    select * from {{ ref('stg_payout_accrual_decisions') }}
),

organizations as (
    select * from {{ ref('stg_organizations') }}
),

zones as (
    select * from {{ ref('payout_zones') }}
),

copies as (
    select * from {{ ref('int_payout_copies') }}
),

recomputed as (
    select
        {{- as_accrual("earnings", as_of()) }}
    from {{ ref('payout_earned') }} as earnings
    semi join {{ ref('int_touched_accruals') }} using (accrual_id)
    anti join copies using (accrual_id)
),

-- Adjustments are final at once.

timed as (
    select
        recomputed.*,
        {{ status_by_time("zones.today", "recomputed.period_end", "organizations.payout_settling_days") }}
            as status_by_time
    from recomputed
    inner join organizations using (organization_id)
    inner join zones using (timezone)
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
        {{ decided_status(
            "decisions.decision", "decisions.amount_cents", "timed.amount_cents", "timed.status_by_time"
        ) }} as status,
        {{ decided_note(
            "decisions.decision", "decisions.amount_cents", "timed.amount_cents", "decisions.note"
        ) }} as note
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
