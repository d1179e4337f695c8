with

snapshots as (
    select * from {{ ref('account_snapshots') }}
),

offsets as (
    select * from {{ ref('int_account_offsets') }}
),

dated as (
    select
        snapshots.*,
        {{ local_day("snapshots.captured_at", "offsets.utc_offset_seconds") }} as day
    from snapshots
    inner join offsets
        on
            snapshots.account_id = offsets.account_id
            and snapshots.captured_at >= offsets.starts_at
            and snapshots.captured_at < offsets.ends_at
),

days as (
    select
        account_id,
        day,
        count(*) as readings
        {%- for counter in account_counters() %},
        cast(sum({{ counter }}_delta) as bigint) as {{ counter }}_gained
        {%- endfor %}
    from dated
    group by account_id, day
)

select
    account_id,
    day,
    readings
    {%- for counter in account_counters() %},
    cast(sum({{ counter }}_gained) over until_day as bigint) as {{ counter }}_count
    {%- endfor %},
    if(follower_count is null, null, coalesce(follower_gained, 0)) as new_followers
from days
window until_day as (partition by account_id order by day)
