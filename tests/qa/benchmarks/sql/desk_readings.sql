-- What was read of the organization of desk.sql: each post once a day for 45 days, each account once a day for
-- two months, the latest looks, and comments of three months. Variables: ends, begins.
create or replace temporary table days as
select
    place + 1 as batch_seq,
    getvariable('begins') + to_days(cast(place as integer)) as starts_at
from range(date_diff('day', getvariable('begins'), getvariable('ends'))) as places (place);

insert into raw.batches by name
select
    uuid() as batch_id,
    batch_seq,
    'scrape' as kind,
    starts_at + interval 1 hour as ingested_at,
    0 as video_snapshots,
    0 as account_snapshots,
    0 as scrape_outcomes
from days;

insert into raw.video_snapshots by name
select
    videos.id as video_id,
    days.starts_at + to_seconds(hash(videos.id) % 2400) as captured_at,
    cast(
        (1 + hash(videos.id) % 900) * 100 * (1 - exp(-date_diff('hour', videos.posted_at, captured_at) / 240.0))
        as bigint
    ) as view_count,
    view_count // 11 as like_count,
    view_count // 97 as comment_count,
    view_count // 211 as share_count,
    view_count // 307 as save_count,
    true as is_exact,
    if(videos.platform = 'tiktok', 'tiktok.creator_list', 'instagram.timeline') as source,
    days.batch_seq
from operational.videos as videos
inner join days
    on videos.posted_at <= days.starts_at and videos.posted_at > days.starts_at - interval 45 days
where videos.tracking_status <> 'excluded'
order by batch_seq, captured_at;

insert into raw.account_snapshots by name
select
    accounts.id as account_id,
    days.starts_at + to_seconds(hash(accounts.id) % 2400) as captured_at,
    cast(1000 + hash(accounts.id) % 90 * days.batch_seq as bigint) as follower_count,
    20 as video_count,
    true as is_exact,
    if(accounts.platform = 'tiktok', 'tiktok.profile_page', 'instagram.profile') as source,
    days.batch_seq
from operational.accounts as accounts
inner join days on days.starts_at >= getvariable('ends') - interval 60 days
order by batch_seq, captured_at;

insert into raw.scrape_outcomes by name
select
    accounts.id as account_id,
    job_type,
    if(hash(accounts.id, batch_seq) % 50 = 0, 'unreachable', 'ok') as outcome,
    false as reached_known,
    days.starts_at + to_seconds(hash(accounts.id) % 2400) as started_at,
    started_at as finished_at,
    days.batch_seq
from operational.accounts as accounts
inner join days on days.starts_at >= getvariable('ends') - interval 7 days
cross join (values ('creator_profiles'), ('discover_videos')) as job_types (job_type)
order by batch_seq, finished_at;

create or replace temporary table walked as
select
    id as video_id,
    row_number() over (order by posted_at desc, id) - 1 as number
from operational.videos
where tracking_status = 'auto_tracked'
qualify number < (select count(*) from operational.videos) / 40;

insert into raw.comments by name
select
    video_id,
    concat(number, ' ', comment) as platform_comment_id,
    'What is the app called, and is it number ' || (number + comment) % 1000 as text,
    comment as like_count,
    'viewer.' || comment as author_unique_id,
    getvariable('ends') - to_minutes(cast(hash(number, comment) % 129600 as bigint)) as posted_at,
    getvariable('ends') - interval 1 hour as captured_at,
    'tiktok.comment_list' as source,
    (select max(batch_seq) from days) as batch_seq
from walked
cross join range(20) as comments (comment);

insert into raw.comment_walks by name
select
    video_id,
    'ok' as outcome,
    true as is_complete,
    20 as collected_count,
    getvariable('ends') - interval 1 hour as started_at,
    started_at as finished_at,
    (select max(batch_seq) from days) as batch_seq
from walked;

insert into raw.comment_scores by name
select
    cast(sha256(text)[1:32] as uuid) as text_id,
    'en' as language,
    ['positive', 'neutral', 'negative'][1 + cast(hash(text) % 3 as integer)] as sentiment,
    cast([0.5, 0, -0.5][1 + cast(hash(text) % 3 as integer)] as decimal(5, 4)) as sentiment_score,
    'made up' as sentiment_model,
    if(hash(text) % 5 = 0, ['app_question'], if(hash(text) % 50 = 1, ['risk'], [])) as signals,
    'made up' as rules_version,
    getvariable('ends') as scored_at,
    1 as score_seq
from (select distinct text from raw.comments) as texts;

insert into raw.comment_scorings by name
select
    1 as score_seq,
    max(batch_seq) as up_to_batch_seq,
    'made up' as sentiment_model,
    'made up' as rules_version,
    1000 as texts,
    0 as mentions,
    getvariable('ends') as scored_at
from days;
