{{ last_readings(
    mart=ref('account_snapshots'),
    facts=ref('stg_account_snapshots'),
    changes=ref('int_account_changes'),
    published=source('control', 'account_last_readings'),
    key='account_id',
    counters=account_counters(),
) }}
