{{ last_readings(
    mart=ref('account_snapshots'),
    facts=ref('stg_account_snapshots'),
    touched=ref('int_touched_accounts'),
    published=source('control', 'account_last_readings'),
    key='account_id',
    counters=account_counters(),
) }}
