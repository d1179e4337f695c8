-- Readings of every post and account at each pass, in batches of one pass. Instagram hides some
-- counters and rounds every eighth reading; one reading in a thousand was also imported.
-- Variables: ends (when pass 0 begins), first_pass, last_pass (exclusive), hours (between passes). A
-- pass takes 40 minutes. Accounts take turns, so that each is read with its posts every 6 hours.
create or replace temporary macro shown(number, is_exact) as
    case
        when is_exact or number < 1000 then number
        when number < 1000000 then number // 100 * 100
        else number // 100000 * 100000
    end;

create or replace temporary macro is_read(account_id, pass) as
    (hash(account_id) % 6 + pass) % (6 // getvariable('hours')) = 0;

create or replace temporary table passes as
select
    pass,
    pass * getvariable('hours') // 6 as age,
    getvariable('ends') + to_hours(pass * getvariable('hours')) as starts_at,
    pass + 100000 as batch_seq
from range(getvariable('first_pass'), getvariable('last_pass')) as passes (pass);

insert into raw.batches
select
    uuid(),
    batch_seq,
    'scrape',
    starts_at + interval 1 hour,
    0,
    0,
    0,
    0,
    0
from passes;

insert into raw.video_snapshots
with

videos as (
    select
        id,
        account_id,
        platform = 'tiktok' as is_tiktok,
        hash(id) % 900 + 1 as rate
    from operational.videos
),

looks as (
    select
        id,
        is_tiktok,
        pass,
        batch_seq,
        rate,
        hash(id, pass) as noise,
        is_tiktok or noise % 8 <> 0 as is_exact,
        starts_at + (noise % 2400) * interval 1 second as captured_at,
        cast(rate * (age + 6000) + noise % (2 * rate) as bigint) as views
    from passes
    inner join videos on is_read(account_id, pass)
),

readings as (
    select
        id,
        captured_at,
        shown(views, is_exact) as view_count,
        shown(views // 11, is_exact) as like_count,
        shown(views // 97, is_exact) as comment_count,
        if(is_tiktok, views // 211, null) as share_count,
        if(is_tiktok or pass % 4 = 0, views // 307, null) as save_count,
        is_exact,
        if(is_tiktok, 'tiktok.creator_list', 'instagram.timeline') as source,
        batch_seq
    from looks
    union all
    select
        id,
        captured_at,
        views + 1 as view_count,
        null as like_count,
        null as comment_count,
        null as share_count,
        null as save_count,
        false as is_exact,
        'import' as source,
        batch_seq
    from looks
    where noise % 1000 = 0
)

select * from readings
order by batch_seq, captured_at;

insert into raw.account_snapshots
with

looks as (
    select
        id,
        batch_seq,
        hash(id) % 90 + 1 as rate,
        hash(id, pass) as noise,
        platform = 'tiktok' as is_tiktok,
        is_tiktok or noise % 8 <> 0 as is_exact,
        starts_at + (noise % 2400) * interval 1 second as captured_at,
        cast(rate * (age + 6000) + noise % (3 * rate) as bigint) as followers
    from passes
    inner join operational.accounts on is_read(id, pass)
)

select
    id,
    captured_at,
    shown(followers, is_exact),
    100 + noise % 50,
    if(is_tiktok, followers * 20, null),
    40 + (batch_seq - 90000) // 28,
    is_exact,
    if(is_tiktok, 'tiktok.profile_page', 'instagram.profile'),
    batch_seq
from looks
order by batch_seq, captured_at;

insert into raw.scrape_outcomes by name
with

looks as (
    select
        id,
        batch_seq,
        job_type,
        hash(id, pass, job_type) as noise,
        starts_at + (hash(id, pass) % 2400) * interval 1 second as started_at
    from passes
    inner join operational.accounts on is_read(id, pass)
    cross join (values ('creator_profiles'), ('discover_videos')) as job_types (job_type)
)

select
    id as account_id,
    job_type,
    if(noise % 50 = 0, 'unreachable', 'ok') as outcome,
    false as reached_known,
    started_at,
    started_at + (1 + noise % 5) * interval 1 second as finished_at,
    batch_seq
from looks
order by batch_seq, finished_at;
