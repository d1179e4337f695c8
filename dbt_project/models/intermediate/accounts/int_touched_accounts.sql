{{ touched_by_readings(
    facts=ref('stg_account_snapshots'),
    zones=ref('int_account_zones'),
    last_readings=source('control', 'account_last_readings'),
    last_days=source('control', 'account_last_days'),
    key='account_id',
) }}
