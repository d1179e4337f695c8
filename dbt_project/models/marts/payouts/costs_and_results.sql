{{ config(materialized="view") }}

{#- Names tables, big facts and views by schema only, so that a publication can use its text unchanged. #}

select
    organization_id,
    project_id,
    creator_id,
    account_id,
    video_id,
    platform,
    day,
    structure_id,
    cast(null as uuid) as conversion_event_id,
    if(is_planned, null, amount_cents) as cost_cents,
    if(is_planned, amount_cents, null) as planned_cents,
    cast(null as bigint) as new_views,
    cast(null as bigint) as tracked_views,
    cast(null as bigint) as new_engagements,
    cast(null as bigint) as tracked_engagements,
    cast(null as bigint) as conversions
from {{ ref('payout_costs').include(database=false) }}
union all by name
select
    videos.organization_id,
    videos.project_id,
    videos.creator_id,
    videos.account_id,
    videos.video_id,
    videos.platform,
    days.day,
    days.new_views,
    days.new_views as tracked_views,
    rules.engagement(days.new_likes, days.new_comments, days.new_shares, days.new_saves) as new_engagements,
    new_engagements as tracked_engagements
from {{ ref('videos').include(database=false) }} as videos
inner join {{ ref('video_daily').include(database=false) }} as days
    on videos.video_id = days.video_id
where videos.is_counted
union all by name
select
    videos.organization_id,
    videos.project_id,
    videos.creator_id,
    videos.account_id,
    videos.video_id,
    videos.platform,
    cast(timezone(organizations.analytics_tz, videos.view_first_captured_at) as date) as day,
    -videos.view_before_tracking as tracked_views
from {{ ref('videos').include(database=false) }} as videos
inner join {{ ref('organizations').include(database=false) }} as organizations
    on videos.organization_id = organizations.organization_id
where videos.is_counted and videos.view_before_tracking > 0
union all by name
select
    engaged.organization_id,
    engaged.project_id,
    engaged.creator_id,
    engaged.account_id,
    engaged.video_id,
    engaged.platform,
    cast(timezone(organizations.analytics_tz, engaged.first_captured_at) as date) as day,
    -engaged.before_tracking as tracked_engagements
from (
    select
        organization_id,
        project_id,
        creator_id,
        account_id,
        video_id,
        platform,
        unnest([
            like_first_captured_at, comment_first_captured_at, share_first_captured_at, save_first_captured_at
        ]) as first_captured_at,
        unnest([
            like_before_tracking, comment_before_tracking, share_before_tracking, save_before_tracking
        ]) as before_tracking
    from {{ ref('videos').include(database=false) }}
    where
        is_counted
        and greatest(
            like_before_tracking, comment_before_tracking, share_before_tracking, save_before_tracking
        ) > 0
) as engaged
inner join {{ ref('organizations').include(database=false) }} as organizations
    on engaged.organization_id = organizations.organization_id
where engaged.before_tracking > 0
union all by name
select
    conversions.organization_id,
    conversions.project_id,
    conversions.creator_id,
    conversions.account_id,
    conversions.video_id,
    coalesce(videos.platform, accounts.platform) as platform,
    conversions.day,
    conversions.conversion_event_id,
    cast(conversions.quantity as bigint) as conversions
from {{ ref('conversions').include(database=false) }} as conversions
left join {{ ref('videos').include(database=false) }} as videos
    on conversions.video_id = videos.video_id
left join {{ ref('accounts').include(database=false) }} as accounts
    on conversions.account_id = accounts.account_id
inner join {{ ref('organizations').include(database=false) }} as organizations
    on conversions.organization_id = organizations.organization_id
inner join {{ ref('payout_zones').include(database=false) }} as zones
    on organizations.analytics_tz = zones.timezone
where not conversions.is_voided and conversions.day <= zones.today
