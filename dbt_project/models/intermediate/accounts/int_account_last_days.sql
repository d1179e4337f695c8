{%- set touched = ref('int_touched_accounts') %}
{%- set full = computes_everything() %}

with

zones as (
    select * from {{ ref('int_account_zones') }}
),

touched as (
    select * from {{ touched }}
    where from_day is not null
),

emptied as (
    select account_id
    from touched
    where from_day = '-infinity'
),

kept as (
    select published.*
    from {{ source('control', 'account_last_days') }} as published
    anti join emptied using (account_id)
    where {{ not full }}
),

fresh as (
    select
        daily.account_id,
        min(daily.day) as first_day
    from {{ ref('account_daily') }} as daily
    {% if not full %}
    inner join touched on daily.account_id = touched.account_id and daily.day >= touched.from_day
    where daily.day >= {{ least_of(touched, "from_day", "date") }}
    {% endif %}
    group by daily.account_id
)

select
    account_id,
    zones.analytics_tz,
    least(kept.first_day, fresh.first_day) as first_day
from kept
full join fresh using (account_id)
inner join zones using (account_id)
