-- What is left to correct of subjects that something was paid or settled of (money.md M19). All that is known
-- of them comes as one JSON text, so that the plan can be kept; adjustments by their numbers. `content` names
-- a content of the subject, which the answer refers to.

with

requested as (
    select
        from_json(
            cast($given as varchar),
            '{
                "as_of": "TIMESTAMPTZ",
                "subjects": [{
                    "accrual_id": "UUID",
                    "decision": "VARCHAR",
                    "owed": {
                        "content": "VARCHAR",
                        "amount_cents": "BIGINT",
                        "period_end": "DATE",
                        "timezone": "VARCHAR"
                    },
                    "frozen": {
                        "content": "VARCHAR",
                        "amount_cents": "BIGINT",
                        "period_end": "DATE",
                        "timezone": "VARCHAR"
                    },
                    "adjustments": [{
                        "accrual_id": "UUID",
                        "adjustment_number": "INTEGER",
                        "content": "VARCHAR",
                        "amount_cents": "BIGINT",
                        "period_end": "DATE",
                        "timezone": "VARCHAR",
                        "is_frozen": "BOOLEAN",
                        "decision": "VARCHAR"
                    }],
                    "pays_in": {"timezone": "VARCHAR", "period": "VARCHAR", "anchor": "INTEGER"}
                }]
            }'
        ) as requested
),

subjects as (
    select
        requested.as_of,
        unnest(requested.subjects, max_depth := 2)
    from requested
),

known as (
    select
        *,
        list_filter(
            adjustments,
            lambda adjustment: adjustment.is_frozen or rules.is_waived('adjustment', adjustment.decision)
        ) as settled
    from subjects
),

compared as (
    select
        *,
        rules.correction(
            owed.amount_cents,
            frozen.amount_cents,
            list_sum(list_transform(settled, lambda adjustment: adjustment.amount_cents))
        ) as correction,
        rules.corrected(frozen.period_end, owed.period_end, settled[1].period_end) as period_end,
        rules.corrected(frozen.timezone, owed.timezone, settled[1].timezone) as timezone,
        rules.next_number(list_transform(settled, lambda adjustment: adjustment.adjustment_number))
            as adjustment_number,
        rules.day_in(pays_in.timezone, as_of) as today
    from known
)

select
    accrual_id,
    list_transform(settled, lambda adjustment: adjustment.accrual_id) as settled,
    rules.is_corrected(
        frozen is not null, len(settled) > 0, decision is not distinct from 'void'
    )
    and rules.left_to_correct(correction) <> 0
    and rules.is_over(period_end, rules.day_in(timezone, as_of)) as is_open,
    rules.corrected(frozen.content, owed.content, settled[1].content) as corrected,
    rules.correcting(frozen.content, owed.content, settled[1].content) as correcting,
    rules.adjustment_id(accrual_id, adjustment_number) as adjustment_id,
    adjustment_number,
    rules.left_to_correct(correction) as amount_cents,
    rules.period_or_day(today, pays_in.period, pays_in.anchor) as booked_in,
    rules.correction_reason(correction) as reason,
    rules.correction_evidence(
        correction,
        to_json(
            list_transform(
                settled,
                lambda adjustment: {
                    'accrual_id': adjustment.accrual_id,
                    'amount_cents': adjustment.amount_cents
                }
            )
        )
    ) as evidence
from compared
