{{ last_days(
    days=ref('account_daily'),
    zones=ref('int_account_zones'),
    touched=ref('int_touched_accounts'),
    published=source('control', 'account_last_days'),
    key='account_id',
) }}
