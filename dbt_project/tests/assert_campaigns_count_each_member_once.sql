-- A campaign counts each of its videos and accounts once, however they became members: its running sums end
-- at the sum of their last known counts.
with

last_days as (
    select
        campaign_id,
        arg_max(followers, day) as followers
        {%- for counted in video_counters().values() %},
        arg_max(cumulative_{{ counted }}, day) as {{ counted }}
        {%- endfor %}
    from {{ ref('campaign_daily') }}
    group by campaign_id
),

of_videos as (
    select
        members.campaign_id
        {%- for counter, counted in video_counters().items() %},
        sum(videos.{{ counter }}_count) as {{ counted }}
        {%- endfor %}
    from {{ ref('campaign_videos') }} as members
    inner join {{ ref('videos') }} as videos using (video_id)
    group by members.campaign_id
),

of_accounts as (
    select
        members.campaign_id,
        sum(accounts.follower_count) as followers
    from {{ ref('campaign_accounts') }} as members
    inner join {{ ref('accounts') }} as accounts using (account_id)
    group by members.campaign_id
)

select *
from last_days
full join of_videos using (campaign_id)
full join of_accounts using (campaign_id)
where
    last_days.followers is distinct from of_accounts.followers
    {%- for counted in video_counters().values() %}
    or last_days.{{ counted }} is distinct from of_videos.{{ counted }}
    {%- endfor %}
