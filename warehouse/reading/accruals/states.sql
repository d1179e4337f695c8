-- How accruals stand: as copied, else as was decided, else by time (money.md M17, M18). All that is known of
-- them comes as one JSON text, so that the plan can be kept. Adjustments end nowhere: they are final at once.

with

requested as (
    select
        from_json(
            cast($given as varchar),
            '{
                "as_of": "TIMESTAMPTZ",
                "settling_days": "INTEGER",
                "accruals": [{
                    "accrual_id": "UUID",
                    "amount_cents": "BIGINT",
                    "period_end": "DATE",
                    "timezone": "VARCHAR",
                    "ends_at": "TIMESTAMPTZ",
                    "is_checked": "BOOLEAN",
                    "is_paid": "BOOLEAN",
                    "decision": "VARCHAR",
                    "decided_cents": "BIGINT",
                    "note": "VARCHAR"
                }]
            }'
        ) as requested
),

accruals as (
    select
        requested.as_of,
        requested.settling_days,
        unnest(requested.accruals, max_depth := 2)
    from requested
),

timed as (
    select
        *,
        if(
            ends_at is null,
            'final',
            rules.status_by_time(
                as_of, ends_at, period_end, timezone, rules.settling_days(settling_days, is_checked)
            )
        ) as status_by_time
    from accruals
)

select
    accrual_id,
    if(
        is_paid is null,
        rules.decided_status(decision, decided_cents, amount_cents, status_by_time, is_checked),
        rules.copied_status(is_paid)
    ) as status,
    if(
        is_paid is null,
        rules.decided_note(decision, decided_cents, amount_cents, note),
        note
    ) as note
from timed
