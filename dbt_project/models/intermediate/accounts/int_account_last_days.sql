{%- set touched = ref('int_touched_accounts') %}
{%- set full = computes_everything() %}

with

zones as (
    select * from {{ ref('int_account_zones') }}
),

{% if not full -%}
touched as (
    select * from {{ touched }}
    where from_day is not null
),
{%- endif %}

kept as (
    select * from {{ source('control', 'account_last_days') }}
    {%- if full %}
    where false
    {%- else %}
    anti join (select * from touched where from_day = '-infinity') using (account_id)
    {%- endif %}
),

fresh as (
    select
        daily.account_id,
        min(daily.day) as first_day
    from {{ ref('account_daily') }} as daily
    {%- if not full %}
    inner join touched on daily.account_id = touched.account_id and daily.day >= touched.from_day
    where daily.day >= {{ least_of(touched, "from_day", "date") }}
    {%- endif %}
    group by daily.account_id
)

select
    account_id,
    zones.analytics_tz,
    least(kept.first_day, fresh.first_day) as first_day
from kept
full join fresh using (account_id)
inner join zones using (account_id)
