-- An organization's accruals as they stand now: as published (see published.sql), and in their place those of
-- the subjects that newer decisions are about, which come as one JSON text.

with

decided as not materialized (
    select *
    from marts.payout_decided_accruals
    where organization_id = $organization_id
),

subjects as not materialized (
    select cast(unnest(string_split($subjects, ',')) as uuid) as subject
),

newer as (
    select
        unnest(
            from_json(
                $newer,
                '[{
                    "accrual_id": "UUID",
                    "organization_id": "UUID",
                    "project_id": "UUID",
                    "structure_id": "UUID",
                    "creator_id": "UUID",
                    "version_id": "UUID",
                    "version_number": "BIGINT",
                    "criteria_type": "VARCHAR",
                    "period_start": "DATE",
                    "period_end": "DATE",
                    "subject_id": "UUID",
                    "view_count": "BIGINT",
                    "currency": "VARCHAR",
                    "amount_cents": "BIGINT",
                    "precise_amount": "DECIMAL(38, 9)",
                    "limited_by": "VARCHAR",
                    "timezone": "VARCHAR",
                    "computed_at": "TIMESTAMPTZ",
                    "kind": "VARCHAR",
                    "adjusts_accrual_id": "UUID",
                    "adjustment_number": "BIGINT",
                    "booked_in": "DATE",
                    "reason": "VARCHAR",
                    "status": "VARCHAR",
                    "payment_id": "UUID",
                    "note": "VARCHAR"
                }]'
            ),
            max_depth := 2
        )
),

left_alone as (
    select decided.*
    from decided
    anti join subjects
        on coalesce(decided.adjusts_accrual_id, decided.accrual_id) = subjects.subject
)

select
    earned.accrual_id,
    earned.organization_id,
    earned.project_id,
    earned.structure_id,
    earned.creator_id,
    earned.version_id,
    earned.version_number,
    earned.criteria_type,
    earned.period_start,
    earned.period_end,
    earned.subject_id,
    earned.view_count,
    earned.currency,
    earned.amount_cents,
    earned.precise_amount,
    earned.limited_by,
    earned.timezone,
    cast($as_of as timestamptz) as computed_at,
    'earning' as kind,
    cast(null as uuid) as adjusts_accrual_id,
    cast(null as bigint) as adjustment_number,
    cast(null as date) as booked_in,
    cast(null as varchar) as reason,
    rules.status_by_time(
        cast($as_of as timestamptz),
        earned.ends_at,
        earned.period_end,
        earned.timezone,
        cast($settling_days as integer)
    ) as status,
    cast(null as uuid) as payment_id,
    cast(null as varchar) as note
from marts.payout_earned as earned
anti join decided using (accrual_id)
anti join subjects on earned.accrual_id = subjects.subject
where earned.organization_id = $organization_id
union all
select
    accrual_id,
    organization_id,
    project_id,
    structure_id,
    creator_id,
    version_id,
    version_number,
    criteria_type,
    period_start,
    period_end,
    subject_id,
    view_count,
    currency,
    amount_cents,
    precise_amount,
    limited_by,
    timezone,
    computed_at,
    kind,
    adjusts_accrual_id,
    adjustment_number,
    booked_in,
    reason,
    status,
    payment_id,
    note
from left_alone
union all
select
    accrual_id,
    organization_id,
    project_id,
    structure_id,
    creator_id,
    version_id,
    version_number,
    criteria_type,
    period_start,
    period_end,
    subject_id,
    view_count,
    currency,
    amount_cents,
    precise_amount,
    limited_by,
    timezone,
    computed_at,
    kind,
    adjusts_accrual_id,
    adjustment_number,
    booked_in,
    reason,
    status,
    payment_id,
    note
from newer
