-- Posts of creators that are read some times a day, as a publication has them.

create macro id_of(kind, number) as cast(printf('%08d-0000-0000-0000-%012d', kind, number) as uuid);

create table posts as
select
    number,
    id_of(5, number) as video_id,
    id_of(4, number // $posts) as account_id,
    id_of(3, number // $posts) as creator_id,
    cast($begins as timestamptz) + to_hours(number % $posts) as posted_at
from range($creators * $posts) as numbers (number);

insert into marts.organizations by name
select
    id_of(1, 1) as organization_id,
    'UTC' as analytics_tz,
    3 as payout_settling_days;

insert into marts.run by name
select
    cast($begins as timestamptz) + to_days($days) as as_of,
    0 as decided_up_to;

insert into marts.accounts by name
select distinct
    account_id,
    id_of(1, 1) as organization_id,
    id_of(2, 1) as project_id,
    creator_id,
    'tiktok' as platform,
    true as is_active,
    false as is_deactivated
from posts;

insert into marts.videos by name
select
    video_id,
    id_of(1, 1) as organization_id,
    id_of(2, 1) as project_id,
    account_id,
    creator_id,
    'tiktok' as platform,
    'auto_tracked' as tracking_status,
    true as is_counted,
    posted_at,
    cast($begins as timestamptz) + interval 1 day as first_captured_at
from posts;

insert into marts.video_deltas by name
select
    posts.video_id,
    cast($begins as timestamptz) + interval 1 day + to_hours(looks.place * 24 // $readings_a_day) as captured_at,
    true as is_exact,
    'tiktok_web' as source,
    100 + looks.place * 37 * (1 + posts.number % 7) as view_count,
    looks.place = 0 as is_first
from posts
cross join range(($days - 1) * $readings_a_day) as looks (place);

insert into marts.video_daily by name
select
    video_id,
    cast(captured_at as date) as day,
    max(view_count) as cumulative_views,
    max(view_count) - min(view_count) as new_views
from marts.video_deltas
group by all;
