{{ config(
    materialized="continued",
    meta={"key": "account_id", "replaces": "days", "touched": "int_touched_accounts"}
) }}

{%- set touched = ref('int_touched_accounts') %}
{%- set full = computes_everything() %}
{%- set readings_from = first_reading_at() if full else least_of(touched, "readings_from", "timestamptz") %}

with

snapshots as (
    select snapshots.*
    from {{ ref('account_snapshots') }} as snapshots
    {% if not full %}
    semi join {{ touched }} using (account_id)
    {% endif %}
    where snapshots.captured_at >= {{ readings_from }}
),

{{ dated("snapshots", "account_id", ref('int_account_zones'), readings_from) }},

gained as (
    select
        dated.account_id,
        dated.day,
        {%- for counter in account_counters() %}
        cast(sum(dated.{{ counter }}_delta) as bigint) as {{ counter }}_gained,
        {%- endfor %}
        count(*) as readings
    from dated
    {% if not full %}
    inner join {{ touched }} as touched
        on dated.account_id = touched.account_id and dated.day >= touched.from_day
    {% endif %}
    group by dated.account_id, dated.day
),

{% if not full %}

continued as (
    select
        old.account_id,
        {%- for counter in account_counters() %}
        arg_max(old.{{ counter }}_count, old.day) as {{ counter }}_gained,
        {%- endfor %}
        date '-infinity' as day
    from {{ this }} as old
    inner join {{ touched }} as touched
        on old.account_id = touched.account_id and old.day < touched.from_day
    group by old.account_id
),
{% endif %}

days as (
    select * from gained
    {% if not full %}
    union all by name
    select * from continued
    {% endif %}
),

summed as (
    select
        account_id,
        day,
        readings,
        {%- for counter in account_counters() %}
        cast(sum({{ counter }}_gained) over until_day as bigint) as {{ counter }}_count,
        {%- endfor %}
        if(follower_count is null, null, coalesce(follower_gained, 0)) as new_followers
    from days
    window until_day as (partition by account_id order by day)
)

select
    account_id,
    day,
    {%- for counter in account_counters() %}
    {{ counter }}_count,
    {%- endfor %}
    new_followers,
    readings
from summed
where readings is not null
order by day
