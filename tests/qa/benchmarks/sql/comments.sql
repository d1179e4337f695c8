-- A project whose 500 posts of 50 creators have comments. Parameters: organization_id, project_id.
create function pg_temp.made_id(kind text, number bigint) returns uuid language sql immutable as $$
    select md5(kind || number)::uuid
$$;

insert into creators (id, organization_id, project_id, display_name, created_at, updated_at)
select
    pg_temp.made_id('creator', number),
    %(organization_id)s,
    %(project_id)s,
    'Creator ' || number,
    timestamptz '2025-01-01 00:00+00',
    timestamptz '2025-01-01 00:00+00'
from generate_series(0, 49) as number;

insert into accounts (
    id, organization_id, project_id, creator_id, platform, handle, created_at, updated_at
)
select
    pg_temp.made_id('account', number),
    %(organization_id)s,
    %(project_id)s,
    pg_temp.made_id('creator', number),
    'tiktok',
    'creator.' || number,
    timestamptz '2025-01-01 00:00+00',
    timestamptz '2025-01-01 00:00+00'
from generate_series(0, 49) as number;

insert into videos (
    id, organization_id, project_id, creator_id, account_id, platform, platform_video_id, url, caption,
    tracking_status, posted_at, created_at, updated_at
)
select
    pg_temp.made_id('video', number),
    %(organization_id)s,
    %(project_id)s,
    pg_temp.made_id('creator', number %% 50),
    pg_temp.made_id('account', number %% 50),
    'tiktok',
    number::text,
    'https://www.tiktok.com/@creator/video/' || number,
    'Look number ' || number,
    'auto_tracked',
    timestamptz '2025-02-01 00:00+00',
    timestamptz '2025-02-01 00:00+00',
    timestamptz '2025-02-01 00:00+00'
from generate_series(0, 499) as number;
