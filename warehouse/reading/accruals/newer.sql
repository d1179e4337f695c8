-- All accruals of the subjects that newer decisions are about, as they stand now: one JSON text.

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
