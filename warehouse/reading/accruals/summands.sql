-- What few accruals bring to sums: one JSON text.

select
    unnest(
        from_json(
            $summands,
            '[{
                "project_id": "UUID",
                "structure_id": "UUID",
                "creator_id": "UUID",
                "period_end": "DATE",
                "status": "VARCHAR",
                "amount_cents": "BIGINT"
            }]'
        ),
        max_depth := 2
    )
