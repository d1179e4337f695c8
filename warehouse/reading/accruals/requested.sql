-- Accruals whose evidence is read, as published: one JSON text.

select unnest(
    from_json(
        $requested,
        '[{
            "accrual_id": "UUID", "creator_id": "UUID", "begins_at": "TIMESTAMPTZ",
            "ends_at": "TIMESTAMPTZ", "platform_scope": "VARCHAR",
            "platform": "VARCHAR", "account_id": "UUID", "view_lifetime_days": "INTEGER"
        }]'
    ),
    max_depth := 2
)
