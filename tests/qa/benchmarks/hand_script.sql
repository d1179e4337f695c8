-- The marts of a whole history in one script, as one would write it who computes them once and
-- never continues: what the models are compared with. Reads `warehouse`, writes the current
-- database; the variables are as_of and to_batch_seq.
create schema marts;

create schema machinery;

create temporary macro lower_bound(shown) as
    case
        when shown < 1000 then shown
        when shown < 1000000 then shown - if(shown % 100 = 0, 50, 0)
        when shown < 1000000000 then shown - if(shown % 100000 = 0, 50000, 0)
        else shown - if(shown % 100000000 = 0, 50000000, 0)
    end;

create temporary macro local_day(instant, utc_offset_seconds) as
    cast(make_timestamp(epoch_us(instant) + cast(utc_offset_seconds as bigint) * 1000000) as date);

create temporary macro used(exact, at_least, last_exact) as
    if(exact is not null, exact, if(at_least is null, null, greatest(at_least, last_exact)));

-- The UTC offsets in force, of each organization's zone.
create temporary table offsets as
select
    organizations.id as organization_id,
    starts_at,
    ends_at,
    utc_offset_seconds
from warehouse.operational.zone_offsets
inner join warehouse.operational.organizations on zone = analytics_tz
where starts_at <= getvariable('as_of') and ends_at > (select min(captured_at) from warehouse.raw.video_snapshots);

create temporary table video_offsets as
select
    videos.id as video_id,
    starts_at,
    ends_at,
    utc_offset_seconds
from warehouse.operational.videos
inner join offsets using (organization_id);

create temporary table account_offsets as
select
    accounts.id as account_id,
    starts_at,
    ends_at,
    utc_offset_seconds
from warehouse.operational.accounts
inner join offsets using (organization_id);

create temporary view readings as
select * from warehouse.raw.video_snapshots
where captured_at <= getvariable('as_of') and batch_seq <= getvariable('to_batch_seq');

create temporary view account_readings as
select * from warehouse.raw.account_snapshots
where captured_at <= getvariable('as_of') and batch_seq <= getvariable('to_batch_seq');

create temporary table repeated as
select
    video_id,
    captured_at
from readings
group by video_id, captured_at
having count(*) > 1;

create table marts.video_deltas as
with

together as (
    select
        video_id,
        captured_at,
        string_agg(distinct source, ',' order by source) as source,
        max(view_count) filter (where is_exact) as view_exact,
        max(like_count) filter (where is_exact) as like_exact,
        max(comment_count) filter (where is_exact) as comment_exact,
        max(share_count) filter (where is_exact) as share_exact,
        max(save_count) filter (where is_exact) as save_exact,
        coalesce(view_exact, max(lower_bound(view_count))) as view_at_least,
        coalesce(like_exact, max(lower_bound(like_count))) as like_at_least,
        coalesce(comment_exact, max(lower_bound(comment_count))) as comment_at_least,
        coalesce(share_exact, max(lower_bound(share_count))) as share_at_least,
        coalesce(save_exact, max(lower_bound(save_count))) as save_at_least,
        bool_or(is_exact)
        and (view_exact is not null or view_at_least is null)
        and (like_exact is not null or like_at_least is null)
        and (comment_exact is not null or comment_at_least is null)
        and (share_exact is not null or share_at_least is null)
        and (save_exact is not null or save_at_least is null) as is_exact
    from readings
    semi join repeated using (video_id, captured_at)
    group by video_id, captured_at
),

merged as (
    select
        video_id,
        captured_at,
        is_exact,
        source,
        if(is_exact, view_count, null) as view_exact,
        if(is_exact, like_count, null) as like_exact,
        if(is_exact, comment_count, null) as comment_exact,
        if(is_exact, share_count, null) as share_exact,
        if(is_exact, save_count, null) as save_exact,
        if(is_exact, view_count, lower_bound(view_count)) as view_at_least,
        if(is_exact, like_count, lower_bound(like_count)) as like_at_least,
        if(is_exact, comment_count, lower_bound(comment_count)) as comment_at_least,
        if(is_exact, share_count, lower_bound(share_count)) as share_at_least,
        if(is_exact, save_count, lower_bound(save_count)) as save_at_least
    from readings
    anti join repeated using (video_id, captured_at)
    union all by name
    select * from together
),

counted as (
    select
        *,
        last_value(view_exact ignore nulls) over earlier as view_last_exact,
        last_value(like_exact ignore nulls) over earlier as like_last_exact,
        last_value(comment_exact ignore nulls) over earlier as comment_last_exact,
        last_value(share_exact ignore nulls) over earlier as share_last_exact,
        last_value(save_exact ignore nulls) over earlier as save_last_exact,
        greatest(last_value(view_at_least ignore nulls) over earlier, view_last_exact, 0) as view_before,
        greatest(last_value(like_at_least ignore nulls) over earlier, like_last_exact, 0) as like_before,
        greatest(last_value(comment_at_least ignore nulls) over earlier, comment_last_exact, 0) as comment_before,
        greatest(last_value(share_at_least ignore nulls) over earlier, share_last_exact, 0) as share_before,
        greatest(last_value(save_at_least ignore nulls) over earlier, save_last_exact, 0) as save_before,
        row_number() over earlier = 1 as is_first
    from merged
    window earlier as (
        partition by video_id order by captured_at
        rows between unbounded preceding and 1 preceding
    )
)

select
    video_id,
    captured_at,
    is_exact,
    source,
    used(view_exact, view_at_least, view_last_exact) as view_count,
    view_count - view_before as view_delta,
    used(like_exact, like_at_least, like_last_exact) as like_count,
    like_count - like_before as like_delta,
    used(comment_exact, comment_at_least, comment_last_exact) as comment_count,
    comment_count - comment_before as comment_delta,
    used(share_exact, share_at_least, share_last_exact) as share_count,
    share_count - share_before as share_delta,
    used(save_exact, save_at_least, save_last_exact) as save_count,
    save_count - save_before as save_delta,
    is_first
from counted
order by captured_at;

create table marts.video_daily as
with

gained as (
    select
        video_id,
        local_day(captured_at, utc_offset_seconds) as day,
        cast(sum(view_delta) as bigint) as gained_views,
        cast(sum(like_delta) as bigint) as gained_likes,
        cast(sum(comment_delta) as bigint) as gained_comments,
        cast(sum(share_delta) as bigint) as gained_shares,
        cast(sum(save_delta) as bigint) as gained_saves,
        count(*) as readings
    from marts.video_deltas
    inner join video_offsets using (video_id)
    where captured_at >= starts_at and captured_at < ends_at
    group by video_id, day
)

select
    video_id,
    day,
    cast(sum(gained_views) over until_day as bigint) as cumulative_views,
    if(cumulative_views is null, null, coalesce(gained_views, 0)) as new_views,
    cast(sum(gained_likes) over until_day as bigint) as cumulative_likes,
    if(cumulative_likes is null, null, coalesce(gained_likes, 0)) as new_likes,
    cast(sum(gained_comments) over until_day as bigint) as cumulative_comments,
    if(cumulative_comments is null, null, coalesce(gained_comments, 0)) as new_comments,
    cast(sum(gained_shares) over until_day as bigint) as cumulative_shares,
    if(cumulative_shares is null, null, coalesce(gained_shares, 0)) as new_shares,
    cast(sum(gained_saves) over until_day as bigint) as cumulative_saves,
    if(cumulative_saves is null, null, coalesce(gained_saves, 0)) as new_saves,
    readings
from gained
window until_day as (partition by video_id order by day)
order by day;

create table marts.videos as
with

last_readings as (
    select
        video_id,
        arg_max(view_count, captured_at) as view_count,
        max(captured_at) filter (where view_count is not null) as view_captured_at,
        min(captured_at) filter (where view_count is not null) as view_first_captured_at,
        arg_min(view_count, captured_at) as view_first_count,
        arg_max(like_count, captured_at) as like_count,
        max(captured_at) filter (where like_count is not null) as like_captured_at,
        min(captured_at) filter (where like_count is not null) as like_first_captured_at,
        arg_min(like_count, captured_at) as like_first_count,
        arg_max(comment_count, captured_at) as comment_count,
        max(captured_at) filter (where comment_count is not null) as comment_captured_at,
        min(captured_at) filter (where comment_count is not null) as comment_first_captured_at,
        arg_min(comment_count, captured_at) as comment_first_count,
        arg_max(share_count, captured_at) as share_count,
        max(captured_at) filter (where share_count is not null) as share_captured_at,
        min(captured_at) filter (where share_count is not null) as share_first_captured_at,
        arg_min(share_count, captured_at) as share_first_count,
        arg_max(save_count, captured_at) as save_count,
        max(captured_at) filter (where save_count is not null) as save_captured_at,
        min(captured_at) filter (where save_count is not null) as save_first_captured_at,
        arg_min(save_count, captured_at) as save_first_count,
        min(captured_at) as first_captured_at,
        max(captured_at) as last_captured_at
    from marts.video_deltas
    group by video_id
),

tracked as (
    select
        tracked_id,
        min(first_captured_at) as tracked_from
    from (
        select
            coalesce(account_id, id) as tracked_id,
            first_captured_at
        from warehouse.operational.videos
        inner join last_readings on id = video_id
        union all
        select
            account_id as tracked_id,
            min(captured_at) as first_captured_at
        from account_readings
        group by account_id
    )
    group by tracked_id
)

select
    id as video_id,
    organization_id,
    project_id,
    account_id,
    creator_id,
    platform,
    platform_video_id,
    url,
    coalesce(
        custom_title,
        if(platform = 'tiktok', nullif(left(trim(split_part(caption, chr(10), 1)), 100), ''), null)
    ) as title,
    caption,
    media_type,
    duration_seconds,
    tracking_status,
    tracking_status in ('auto_tracked', 'included', 'direct_add') as is_counted,
    posted_at,
    if(posted_at_is_estimate, created_at + interval 48 hours, null) as posted_at_awaited_until,
    if(
        coalesce(tracking_disabled, false)
        or (platform = 'instagram' and coalesce(media_type in ('photo', 'carousel'), false)),
        null,
        created_at
    ) as views_due_from,
    least(plan_limit_paused_at, frozen_at, stopped_at) as views_due_until,
    if(posted_at > tracked_from, 0 * view_first_count, view_first_count) as view_before_tracking,
    if(posted_at > tracked_from, 0 * like_first_count, like_first_count) as like_before_tracking,
    if(posted_at > tracked_from, 0 * comment_first_count, comment_first_count) as comment_before_tracking,
    if(posted_at > tracked_from, 0 * share_first_count, share_first_count) as share_before_tracking,
    if(posted_at > tracked_from, 0 * save_first_count, save_first_count) as save_before_tracking,
    last_readings.* exclude (
        video_id, view_first_count, like_first_count, comment_first_count, share_first_count, save_first_count
    )
from warehouse.operational.videos
left join last_readings on id = video_id
left join tracked on coalesce(account_id, id) = tracked_id;

create table marts.account_snapshots as
with

repeated as (
    select
        account_id,
        captured_at
    from account_readings
    group by account_id, captured_at
    having count(*) > 1
),

together as (
    select
        account_id,
        captured_at,
        string_agg(distinct source, ',' order by source) as source,
        max(follower_count) filter (where is_exact) as follower_exact,
        max(following_count) filter (where is_exact) as following_exact,
        max(total_likes_count) filter (where is_exact) as total_likes_exact,
        max(video_count) filter (where is_exact) as video_exact,
        coalesce(follower_exact, max(lower_bound(follower_count))) as follower_at_least,
        coalesce(following_exact, max(lower_bound(following_count))) as following_at_least,
        coalesce(total_likes_exact, max(lower_bound(total_likes_count))) as total_likes_at_least,
        coalesce(video_exact, max(lower_bound(video_count))) as video_at_least,
        bool_or(is_exact)
        and (follower_exact is not null or follower_at_least is null)
        and (following_exact is not null or following_at_least is null)
        and (total_likes_exact is not null or total_likes_at_least is null)
        and (video_exact is not null or video_at_least is null) as is_exact
    from account_readings
    semi join repeated using (account_id, captured_at)
    group by account_id, captured_at
),

merged as (
    select
        account_id,
        captured_at,
        is_exact,
        source,
        if(is_exact, follower_count, null) as follower_exact,
        if(is_exact, following_count, null) as following_exact,
        if(is_exact, total_likes_count, null) as total_likes_exact,
        if(is_exact, video_count, null) as video_exact,
        if(is_exact, follower_count, lower_bound(follower_count)) as follower_at_least,
        if(is_exact, following_count, lower_bound(following_count)) as following_at_least,
        if(is_exact, total_likes_count, lower_bound(total_likes_count)) as total_likes_at_least,
        if(is_exact, video_count, lower_bound(video_count)) as video_at_least
    from account_readings
    anti join repeated using (account_id, captured_at)
    union all by name
    select * from together
),

counted as (
    select
        *,
        last_value(follower_exact ignore nulls) over before_it as follower_last_exact,
        last_value(following_exact ignore nulls) over before_it as following_last_exact,
        last_value(total_likes_exact ignore nulls) over before_it as total_likes_last_exact,
        last_value(video_exact ignore nulls) over before_it as video_last_exact,
        greatest(last_value(follower_at_least ignore nulls) over before_it, follower_last_exact, 0) as follower_before,
        greatest(last_value(following_at_least ignore nulls) over before_it, following_last_exact, 0)
            as following_before,
        greatest(last_value(total_likes_at_least ignore nulls) over before_it, total_likes_last_exact, 0)
            as total_likes_before,
        greatest(last_value(video_at_least ignore nulls) over before_it, video_last_exact, 0) as video_before
    from merged
    window before_it as (
        partition by account_id order by captured_at
        rows between unbounded preceding and 1 preceding
    )
)

select
    account_id,
    captured_at,
    used(follower_exact, follower_at_least, follower_last_exact) as follower_count,
    follower_count - follower_before as follower_delta,
    used(following_exact, following_at_least, following_last_exact) as following_count,
    following_count - following_before as following_delta,
    used(total_likes_exact, total_likes_at_least, total_likes_last_exact) as total_likes_count,
    total_likes_count - total_likes_before as total_likes_delta,
    used(video_exact, video_at_least, video_last_exact) as video_count,
    video_count - video_before as video_delta,
    is_exact,
    source
from counted
order by captured_at;

create table marts.account_daily as
with

gained as (
    select
        account_id,
        local_day(captured_at, utc_offset_seconds) as day,
        sum(follower_delta) as follower_gained,
        sum(following_delta) as following_gained,
        sum(total_likes_delta) as total_likes_gained,
        sum(video_delta) as video_gained,
        count(*) as readings
    from marts.account_snapshots
    inner join account_offsets using (account_id)
    where captured_at >= starts_at and captured_at < ends_at
    group by account_id, day
)

select
    account_id,
    day,
    cast(sum(follower_gained) over until_then as bigint) as follower_count,
    cast(sum(following_gained) over until_then as bigint) as following_count,
    cast(sum(total_likes_gained) over until_then as bigint) as total_likes_count,
    cast(sum(video_gained) over until_then as bigint) as video_count,
    if(follower_count is null, null, cast(coalesce(follower_gained, 0) as bigint)) as new_followers,
    readings
from gained
window until_then as (partition by account_id order by day)
order by day;

create table marts.accounts as
with

last_readings as (
    select
        account_id,
        arg_max(follower_count, captured_at) as follower_count,
        max(captured_at) filter (where follower_count is not null) as follower_captured_at,
        min(captured_at) filter (where follower_count is not null) as follower_first_captured_at,
        arg_max(following_count, captured_at) as following_count,
        max(captured_at) filter (where following_count is not null) as following_captured_at,
        min(captured_at) filter (where following_count is not null) as following_first_captured_at,
        arg_max(total_likes_count, captured_at) as total_likes_count,
        max(captured_at) filter (where total_likes_count is not null) as total_likes_captured_at,
        min(captured_at) filter (where total_likes_count is not null) as total_likes_first_captured_at,
        arg_max(video_count, captured_at) as video_count,
        max(captured_at) filter (where video_count is not null) as video_captured_at,
        min(captured_at) filter (where video_count is not null) as video_first_captured_at,
        min(captured_at) as first_captured_at,
        max(captured_at) as last_captured_at
    from marts.account_snapshots
    group by account_id
)

select
    id as account_id,
    organization_id,
    project_id,
    creator_id,
    platform,
    handle,
    display_name,
    is_active,
    deactivated_at is not null as is_deactivated,
    last_readings.* exclude (account_id)
from warehouse.operational.accounts
left join last_readings on id = account_id;

-- Members, and on which day each counted post appeared.
create temporary table counted_videos as
select
    video_id,
    creator_id,
    local_day(coalesce(posted_at, first_captured_at), utc_offset_seconds) as appeared_on
from marts.videos
left join (
    select
        organizations.id as organization_id,
        starts_at,
        ends_at,
        utc_offset_seconds
    from warehouse.operational.zone_offsets
    inner join warehouse.operational.organizations on zone = analytics_tz
) as offsets
    on
        videos.organization_id = offsets.organization_id
        and coalesce(posted_at, first_captured_at) >= starts_at
        and coalesce(posted_at, first_captured_at) < ends_at
        and coalesce(posted_at, first_captured_at) <= getvariable('as_of')
where is_counted;

create temporary table active_accounts as
select
    account_id,
    creator_id
from marts.accounts
where is_active and not is_deactivated;

create temporary table campaign_members as
with recursive

descendants as (
    select
        id as campaign_id,
        id as descendant_id
    from warehouse.operational.campaigns
    union
    select
        descendants.campaign_id,
        child_campaign_id
    from descendants
    inner join warehouse.operational.campaign_items as items on descendant_id = items.campaign_id
    where child_campaign_id is not null
)

select distinct
    descendants.campaign_id,
    creator_id,
    video_id
from descendants
inner join warehouse.operational.campaign_items as items on descendant_id = items.campaign_id
where child_campaign_id is null;

create temporary table placed_videos as
select
    videos.video_id,
    videos.organization_id,
    videos.creator_id,
    if(appeared_on is null, null, coalesce(posted_at, first_captured_at)) as appeared_at,
    first_captured_at
from counted_videos
inner join marts.videos on counted_videos.video_id = videos.video_id;

create table marts.creator_videos as
select * from placed_videos
where creator_id is not null;

create table marts.campaign_videos as
with

members as (
    select
        campaign_id,
        counted_videos.video_id
    from campaign_members
    inner join counted_videos using (creator_id)
    union
    select
        campaign_id,
        video_id
    from campaign_members
    inner join counted_videos using (video_id)
)

select * from members
inner join placed_videos using (video_id);

create table marts.campaign_accounts as
with

creators as (
    select
        campaign_id,
        creator_id
    from campaign_members
    union
    select
        campaign_id,
        creator_id
    from marts.campaign_videos
)

select
    campaign_id,
    accounts.account_id,
    organization_id,
    first_captured_at
from creators
inner join active_accounts using (creator_id)
inner join marts.accounts on active_accounts.account_id = accounts.account_id;

create temporary macro daily_of(members, member_accounts) as table
with

parts as (
    select
        entity_id,
        day,
        sum(new_views) as gained_views,
        sum(new_likes) as gained_likes,
        sum(new_comments) as gained_comments,
        sum(new_shares) as gained_shares,
        sum(new_saves) as gained_saves,
        null as gained_followers,
        null as gained_videos
    from marts.video_daily
    inner join query_table(members) using (video_id)
    group by entity_id, day
    union all by name
    select
        entity_id,
        day,
        sum(new_followers) as gained_followers
    from marts.account_daily
    inner join query_table(member_accounts) using (account_id)
    group by entity_id, day
    union all by name
    select
        entity_id,
        appeared_on as day,
        count(*) as gained_videos
    from query_table(members)
    where appeared_on is not null
    group by entity_id, day
),

gained as (
    select
        entity_id,
        day,
        cast(sum(gained_views) as bigint) as gained_views,
        cast(sum(gained_likes) as bigint) as gained_likes,
        cast(sum(gained_comments) as bigint) as gained_comments,
        cast(sum(gained_shares) as bigint) as gained_shares,
        cast(sum(gained_saves) as bigint) as gained_saves,
        cast(sum(gained_followers) as bigint) as gained_followers,
        cast(coalesce(sum(gained_videos), 0) as bigint) as new_videos
    from parts
    group by entity_id, day
)

select
    entity_id,
    day,
    cast(sum(gained_views) over up_to_day as bigint) as cumulative_views,
    if(cumulative_views is null, null, coalesce(gained_views, 0)) as new_views,
    cast(sum(gained_likes) over up_to_day as bigint) as cumulative_likes,
    if(cumulative_likes is null, null, coalesce(gained_likes, 0)) as new_likes,
    cast(sum(gained_comments) over up_to_day as bigint) as cumulative_comments,
    if(cumulative_comments is null, null, coalesce(gained_comments, 0)) as new_comments,
    cast(sum(gained_shares) over up_to_day as bigint) as cumulative_shares,
    if(cumulative_shares is null, null, coalesce(gained_shares, 0)) as new_shares,
    cast(sum(gained_saves) over up_to_day as bigint) as cumulative_saves,
    if(cumulative_saves is null, null, coalesce(gained_saves, 0)) as new_saves,
    new_videos,
    cast(sum(new_videos) over up_to_day as bigint) as cumulative_videos,
    cast(sum(gained_followers) over up_to_day as bigint) as followers,
    if(followers is null, null, coalesce(gained_followers, 0)) as new_followers
from gained
window up_to_day as (partition by entity_id order by day);

create temporary view members_of_creators as
select
    creator_id as entity_id,
    video_id,
    appeared_on
from counted_videos
where creator_id is not null;

create temporary view accounts_of_creators as
select
    creator_id as entity_id,
    account_id
from active_accounts;

create temporary view members_of_campaigns as
select
    campaign_id as entity_id,
    video_id,
    appeared_on
from marts.campaign_videos
inner join counted_videos using (video_id);

create temporary view accounts_of_campaigns as
select
    campaign_id as entity_id,
    account_id
from marts.campaign_accounts;

create temporary view quarters_of_creators as
select
    organization_id,
    creator_id as entity_id,
    video_id
from marts.creator_videos;

create temporary view quarters_of_campaigns as
select
    organization_id,
    campaign_id as entity_id,
    video_id
from marts.campaign_videos;

create table marts.creator_daily as
select
    organization_id,
    project_id,
    entity_id as creator_id,
    days.* exclude (entity_id)
from daily_of('members_of_creators', 'accounts_of_creators') as days
inner join warehouse.operational.creators on entity_id = id
order by day;

create table marts.campaign_daily as
select
    organization_id,
    project_id,
    entity_id as campaign_id,
    days.* exclude (entity_id)
from daily_of('members_of_campaigns', 'accounts_of_campaigns') as days
inner join warehouse.operational.campaigns on entity_id = id
order by day;

create table marts.campaign_creator_daily as
with

parts as (
    select
        campaign_id,
        creator_id,
        day,
        sum(new_views) as new_views,
        sum(new_likes) as new_likes,
        sum(new_comments) as new_comments,
        sum(new_shares) as new_shares,
        sum(new_saves) as new_saves,
        null as new_videos
    from marts.video_daily
    inner join marts.campaign_videos using (video_id)
    group by all
    union all by name
    select
        campaign_id,
        counted_videos.creator_id,
        appeared_on as day,
        count(*) as new_videos
    from marts.campaign_videos
    inner join counted_videos using (video_id)
    where appeared_on is not null
    group by all
)

select
    campaigns.organization_id,
    campaigns.project_id,
    campaign_id,
    parts.creator_id,
    day,
    cast(sum(new_views) as bigint) as new_views,
    cast(sum(new_likes) as bigint) as new_likes,
    cast(sum(new_comments) as bigint) as new_comments,
    cast(sum(new_shares) as bigint) as new_shares,
    cast(sum(new_saves) as bigint) as new_saves,
    cast(coalesce(sum(new_videos), 0) as bigint) as new_videos
from parts
inner join warehouse.operational.campaigns on campaign_id = campaigns.id
group by all
order by day;

create temporary macro quarters_of(members) as table
select
    organization_id,
    entity_id,
    to_timestamp(epoch_us(captured_at) // 900000000 * 900) as quarter_at,
    cast(sum(view_delta) as bigint) as new_views,
    cast(sum(like_delta) as bigint) as new_likes,
    cast(sum(comment_delta) as bigint) as new_comments,
    cast(sum(share_delta) as bigint) as new_shares,
    cast(sum(save_delta) as bigint) as new_saves
from marts.video_deltas
inner join query_table(members) using (video_id)
group by organization_id, entity_id, quarter_at
order by quarter_at;

create table machinery.creator_quarter_hours as
select
    organization_id,
    entity_id as creator_id,
    quarters.* exclude (organization_id, entity_id)
from quarters_of('quarters_of_creators') as quarters;

create table machinery.campaign_quarter_hours as
select
    organization_id,
    entity_id as campaign_id,
    quarters.* exclude (organization_id, entity_id)
from quarters_of('quarters_of_campaigns') as quarters;

create table marts.scrape_freshness as
with

ordered as (
    select
        *,
        max(if(outcome = 'ok', finished_at, null)) over (partition by account_id) as success_at
    from warehouse.raw.scrape_outcomes
    where
        account_id is not null and video_id is null
        and finished_at <= getvariable('as_of') and batch_seq <= getvariable('to_batch_seq')
),

looks as (
    select
        account_id,
        max(finished_at) filter (where outcome = 'ok' and job_type = 'creator_profiles') as last_profile_at,
        max(finished_at) filter (where outcome = 'ok' and job_type = 'discover_videos') as last_discovery_at,
        arg_max(outcome, (finished_at, job_type, outcome)) as last_outcome,
        max(finished_at) as last_outcome_at,
        count(*) filter (where success_at is null or finished_at > success_at) as failures_since_success
    from ordered
    group by account_id
)

select
    accounts.account_id,
    organization_id,
    project_id,
    creator_id,
    platform,
    handle,
    last_profile_at,
    last_discovery_at,
    last_outcome,
    last_outcome_at,
    coalesce(failures_since_success, 0) as failures_since_success,
    coalesce(last_profile_at < getvariable('as_of') - interval 28 hours, true) as is_stale_profile,
    coalesce(last_discovery_at < getvariable('as_of') - interval 48 hours, true) as is_stale_discovery
from marts.accounts
left join looks using (account_id)
where is_active and not is_deactivated;

create table marts.organizations as
select
    id as organization_id,
    name,
    analytics_tz,
    payout_settling_days
from warehouse.operational.organizations;
