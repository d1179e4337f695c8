-- Organizations that track %(accounts)s accounts of %(posts)s posts each, all of them read before:
-- those of the last quarter of a year, at paces over five powers of ten. A tenth of the creators
-- near thresholds that pay, half of them in a period that pays. Rows of our own making need no
-- triggers and no keys looked up.
set session_replication_role = replica;

insert into organizations (id, name, plan, analytics_tz, freshness, created_at, updated_at)
select
    md5('organization' || number)::uuid,
    'Organization ' || number,
    'ultra',
    (array['UTC', 'Europe/Berlin', 'America/Lima', 'Asia/Tokyo'])[1 + number %% 4],
    (array['fast', 'standard', 'standard', 'frugal'])[1 + number %% 4],
    %(now)s,
    %(now)s
from generate_series(0, %(organizations)s - 1) as numbers (number);

insert into projects (id, organization_id, name, created_at, updated_at)
select md5('project' || number)::uuid, md5('organization' || number)::uuid, 'Launch', %(now)s, %(now)s
from generate_series(0, %(organizations)s - 1) as numbers (number);

insert into creators (id, organization_id, project_id, display_name, created_at, updated_at)
select
    md5('creator' || number)::uuid,
    md5('organization' || number %% %(organizations)s)::uuid,
    md5('project' || number %% %(organizations)s)::uuid,
    'Creator ' || number,
    %(now)s,
    %(now)s
from generate_series(0, %(accounts)s - 1) as numbers (number);

insert into accounts (
    id, organization_id, project_id, creator_id, platform, handle, platform_user_id, created_at, updated_at
)
select
    md5('account' || number)::uuid,
    md5('organization' || number %% %(organizations)s)::uuid,
    md5('project' || number %% %(organizations)s)::uuid,
    md5('creator' || number)::uuid,
    'tiktok',
    'demo' || number,
    (6000000000000000000 + number)::text,
    %(now)s,
    %(now)s
from generate_series(0, %(accounts)s - 1) as numbers (number);

insert into videos (
    id, organization_id, project_id, creator_id, account_id, platform, platform_video_id, url,
    tracking_status, posted_at, last_scraped_at, created_at, updated_at
)
select
    md5('video' || number)::uuid,
    md5('organization' || account %% %(organizations)s)::uuid,
    md5('project' || account %% %(organizations)s)::uuid,
    md5('creator' || account)::uuid,
    md5('account' || account)::uuid,
    'tiktok',
    (7000000000000000000 + number)::text,
    'https://www.tiktok.com/@demo' || account || '/video/' || (7000000000000000000 + number),
    'auto_tracked',
    %(now)s - interval '1 hour' * (1 + number %% 2160),
    %(now)s - interval '1 minute' * (number %% 1440),
    %(now)s,
    %(now)s
from (
    select number, number / %(posts)s as account
    from generate_series(0, %(accounts)s::bigint * %(posts)s - 1) as numbers (number)
) as numbered;

insert into payout_structures (id, organization_id, project_id, name, timezone, created_at, updated_at)
select
    md5('structure' || number)::uuid,
    md5('organization' || number)::uuid,
    md5('project' || number)::uuid,
    'Bonus',
    'UTC',
    %(now)s,
    %(now)s
from generate_series(0, %(organizations)s - 1) as numbers (number);

insert into payout_versions (
    id, organization_id, structure_id, number, criteria_type, criteria_params, proration_mode, created_at
)
select
    md5('version' || number)::uuid,
    md5('organization' || number)::uuid,
    md5('structure' || number)::uuid,
    1,
    'view_threshold',
    '{"thresholds": [{"view_count": 10000, "amount_cents": 500}, {"view_count": 100000, "amount_cents": 5000}]}',
    'full',
    %(now)s
from generate_series(0, %(organizations)s - 1) as numbers (number);

insert into payout_assignments (
    id, organization_id, structure_id, creator_id, start_date, created_at, updated_at
)
select
    md5('assignment' || number)::uuid,
    md5('organization' || number %% %(organizations)s)::uuid,
    md5('structure' || number %% %(organizations)s)::uuid,
    md5('creator' || number)::uuid,
    '2026-01-01',
    %(now)s,
    %(now)s
from generate_series(0, %(accounts)s - 1, 10) as numbers (number);

insert into look_deadlines (creator_id, organization_id, ends_at)
select
    md5('creator' || number)::uuid,
    md5('organization' || number %% %(organizations)s)::uuid,
    date_trunc('week', %(now)s::timestamptz) + interval '7 days'
from generate_series(0, %(accounts)s - 1, 2) as numbers (number);

set session_replication_role = origin;
