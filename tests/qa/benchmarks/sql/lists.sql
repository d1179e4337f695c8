-- What one organization lists: creators with three accounts each, twenty posts for each creator.
-- Parameters: organization_id, project_id, creators, videos, rows (at least this much of the rest).
-- The oldest twenty creators and accounts are stars and their posts rarely tagged: what is found of
-- them is as much for any number of rows, and last in every list.
create function pg_temp.made_id(kind text, number bigint) returns uuid language sql immutable as $$
    select md5(kind || number)::uuid
$$;

create function pg_temp.made_at(number bigint) returns timestamptz language sql immutable as $$
    select timestamptz '2026-01-01 00:00+00' + number * interval '1 second'
$$;

insert into projects (id, organization_id, name, created_at, updated_at)
select
    pg_temp.made_id('project', number),
    %(organization_id)s,
    'Project ' || number,
    pg_temp.made_at(number),
    pg_temp.made_at(number)
from generate_series(1, %(rows)s - 1) as number;

insert into creators (id, organization_id, project_id, display_name, created_at, updated_at)
select
    pg_temp.made_id('creator', number),
    %(organization_id)s,
    %(project_id)s,
    case when number < 20 then 'Star ' else 'Creator ' end || number,
    pg_temp.made_at(number),
    pg_temp.made_at(number)
from generate_series(0, %(creators)s - 1) as number;

-- Two accounts of each creator are on TikTok and one is on Instagram; one in ten rests.
insert into accounts (
    id, organization_id, project_id, creator_id, platform, handle, deactivated_at,
    deactivation_video_choice, created_at, updated_at
)
select
    pg_temp.made_id('account', number),
    %(organization_id)s,
    %(project_id)s,
    pg_temp.made_id('creator', number / 3),
    case when number %% 3 = 2 then 'instagram' else 'tiktok' end,
    case when number < 20 then 'star.' else 'creator.' end || number,
    case when number %% 10 = 9 then pg_temp.made_at(number) end,
    case when number %% 10 = 9 then 'freeze' end,
    pg_temp.made_at(number),
    pg_temp.made_at(number)
from generate_series(0, 3 * %(creators)s - 1) as number;

-- Groups of ten posts; the latest are those of the first posts, so that what is listed has some.
insert into content_groups (id, organization_id, project_id, title, created_at, updated_at)
select
    pg_temp.made_id('group', number),
    %(organization_id)s,
    %(project_id)s,
    'Group ' || number,
    pg_temp.made_at(-number),
    pg_temp.made_at(-number)
from generate_series(0, greatest(%(rows)s, %(videos)s / 10) - 1) as number;

-- A fourth of the posts awaits review; one in fifty is excluded.
insert into videos (
    id, organization_id, project_id, creator_id, account_id, content_group_id, platform,
    platform_video_id, url, caption, tracking_status, posted_at, created_at, updated_at
)
select
    pg_temp.made_id('video', number),
    %(organization_id)s,
    %(project_id)s,
    pg_temp.made_id('creator', number / 20),
    pg_temp.made_id('account', number / 20 * 3 + number %% 3),
    pg_temp.made_id('group', number / 10),
    case when number %% 3 = 2 then 'instagram' else 'tiktok' end,
    number::text,
    'https://www.tiktok.com/@creator/video/' || number,
    'Look number ' || number || ' at the spring collection, first of many #launch',
    case
        when number %% 50 = 49 then 'excluded'
        when number %% 4 = 3 then 'pending_review'
        else 'auto_tracked'
    end,
    pg_temp.made_at(number),
    pg_temp.made_at(number),
    pg_temp.made_at(number)
from generate_series(0, %(videos)s - 1) as number;

insert into campaigns (id, organization_id, project_id, name, created_at, updated_at)
select
    pg_temp.made_id('campaign', number),
    %(organization_id)s,
    %(project_id)s,
    'Campaign ' || number,
    pg_temp.made_at(number),
    pg_temp.made_at(number)
from generate_series(0, greatest(%(rows)s, %(creators)s / 10) - 1) as number;

insert into share_links (
    creator_id, organization_id, show_analytics, show_payouts, pin_encrypted, pin_id, created_at,
    updated_at
)
select
    pg_temp.made_id('creator', number),
    %(organization_id)s,
    true,
    false,
    '',
    pg_temp.made_id('pin', number),
    pg_temp.made_at(number),
    pg_temp.made_at(number)
from generate_series(0, %(creators)s - 1, 2) as number;

-- 25 tags for each type: every other item carries `common`, the first twenty items `rare`, each
-- item one of the others.
insert into tags (
    id, organization_id, entity_type, name, name_key, created_via, created_at, updated_at
)
select
    pg_temp.made_id(entity_type, number),
    %(organization_id)s,
    entity_type,
    name,
    name,
    'api',
    pg_temp.made_at(number),
    pg_temp.made_at(number)
from unnest(array['creator', 'account', 'video', 'campaign']) as entity_type
cross join generate_series(0, 24) as number
cross join lateral (
    select case number when 0 then 'common' when 1 then 'rare' else 'other ' || number end as name
);

insert into tag_items (tag_id, item_id, organization_id, created_at)
select
    pg_temp.made_id(entity_type, tag),
    pg_temp.made_id(entity_type, item),
    %(organization_id)s,
    pg_temp.made_at(item)
from (
    values
    ('creator', %(creators)s),
    ('account', 3 * %(creators)s),
    ('video', %(videos)s),
    ('campaign', greatest(%(rows)s, %(creators)s / 10))
) as items (entity_type, number)
cross join lateral generate_series(0, number - 1) as item
cross join lateral (
    select 0 as tag where item %% 2 = 0
    union all
    select 1 where item < 20
    union all
    select 2 + item %% 23
);

update tags
set usage_count = carried.count
from (select tag_id, count(*) from tag_items group by tag_id) as carried
where tags.id = carried.tag_id;

-- One post in fifty does not count.
update videos
set tracking_status = 'excluded'
from generate_series(49, %(videos)s - 1, 50) as number
where id = pg_temp.made_id('video', number);
