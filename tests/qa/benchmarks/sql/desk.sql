-- A program of the organization that lists.sql made: its posts were found over half a year, creators are paid
-- by three structures and have a goal each, and campaigns have creators: the first of them a fifth of all.
-- Parameters: organization_id, project_id, creators, ends.
create function pg_temp.made_id(kind text, number bigint) returns uuid language sql immutable as $$
    select md5(kind || number)::uuid
$$;

-- One account in fifty was looked at too long ago.
update accounts
set
    last_scraped_at = %(ends)s - case when looked.number %% 50 = 7 then interval '3 days' else interval '6 hours' end,
    last_discovered_at = %(ends)s - interval '6 hours'
from (
    select
        id,
        row_number() over (order by created_at) as number
    from accounts
    where organization_id = %(organization_id)s
) as looked
where accounts.id = looked.id;

-- 58 days between one post of a creator and the next, all within 190.
update videos
set
    posted_at = found.posted_at,
    created_at = found.posted_at,
    tracking_status = case
        when found.number %% 50 = 49 then 'excluded'
        when found.number %% 40 = 3 then 'pending_review'
        else 'auto_tracked'
    end
from (
    select
        id,
        platform_video_id::bigint as number,
        %(ends)s - platform_video_id::bigint * 4999999 %% 16416000 * interval '1 second' as posted_at
    from videos
    where organization_id = %(organization_id)s
) as found
where videos.id = found.id;

-- Pages of single links show PINs, and these have none.
delete from share_links
using generate_series(0, 99) as number
where creator_id = pg_temp.made_id('creator', number);

insert into post_pictures (platform, platform_video_id, url, path)
select
    platform,
    platform_video_id,
    'https://pictures.example.com/' || platform_video_id,
    %(picture)s
from videos
where organization_id = %(organization_id)s;

insert into campaign_items (id, organization_id, campaign_id, creator_id, created_at)
select
    gen_random_uuid(),
    %(organization_id)s,
    pg_temp.made_id('campaign', campaign),
    pg_temp.made_id('creator', creator),
    timestamptz '2026-01-01 00:00+00'
from (
    select
        0 as campaign,
        creator
    from generate_series(0, %(creators)s / 5 - 1) as creator
    union all
    select
        1 + creator / 10,
        creator
    from generate_series(0, 10 * (%(creators)s / 10 - 1) - 1) as creator
) as members;

insert into campaign_items (id, organization_id, campaign_id, child_campaign_id, created_at)
select
    gen_random_uuid(),
    %(organization_id)s,
    pg_temp.made_id('campaign', 0),
    pg_temp.made_id('campaign', number),
    timestamptz '2026-01-01 00:00+00'
from generate_series(1, 20) as number;

insert into payout_structures (id, organization_id, project_id, name, created_at, updated_at)
select
    pg_temp.made_id('structure', number),
    %(organization_id)s,
    %(project_id)s,
    'Structure ' || number,
    timestamptz '2026-01-01 00:00+00',
    timestamptz '2026-01-01 00:00+00'
from generate_series(0, 2) as number;

insert into payout_versions (
    id, organization_id, structure_id, number, period, amount_cents, criteria_type, criteria_params,
    proration_mode, created_at
)
select
    pg_temp.made_id('version', structure),
    %(organization_id)s,
    pg_temp.made_id('structure', structure),
    1,
    period,
    amount_cents,
    criteria_type,
    criteria_params::jsonb,
    proration_mode,
    timestamptz '2026-01-01 00:00+00'
from (
    values
    (
        0, 'weekly', 0, 'cpm', 'skip',
        '{"source": "views_gained", "view_lifetime_days": 120, "min_impressions": 0,
        "max_payout_cents": null, "tiers": [
            {"up_to_impressions": 10000, "cents_per_thousand": 100.5},
            {"up_to_impressions": null, "cents_per_thousand": 80.25}
        ]}'
    ),
    (
        1, null, null, 'view_threshold', 'skip',
        '{"thresholds": [
            {"view_count": 10000, "amount_cents": 1000, "currency": "USD"},
            {"view_count": 50000, "amount_cents": 2500, "currency": "USD"}
        ]}'
    ),
    (2, 'monthly', 50000, 'recurring', 'prorate', '{}')
) as rules (structure, period, amount_cents, criteria_type, proration_mode, criteria_params);

insert into payout_assignments (
    id, organization_id, structure_id, creator_id, start_date, created_at, updated_at
)
select
    gen_random_uuid(),
    %(organization_id)s,
    pg_temp.made_id('structure', structure),
    pg_temp.made_id('creator', creator),
    date '2026-01-05',
    timestamptz '2026-01-05 00:00+00',
    timestamptz '2026-01-05 00:00+00'
from generate_series(0, %(creators)s - 1) as creator
cross join generate_series(0, 2) as structure
where structure < 2 or creator %% 3 = 0;

insert into goals (
    id, organization_id, project_id, creator_id, metric, period, target_value, start_date, created_at,
    updated_at
)
select
    pg_temp.made_id('goal', creator),
    %(organization_id)s,
    %(project_id)s,
    pg_temp.made_id('creator', creator),
    'views',
    'weekly',
    60000,
    date '2026-01-05',
    timestamptz '2026-01-05 00:00+00',
    timestamptz '2026-01-05 00:00+00'
from generate_series(0, %(creators)s - 1) as creator;

insert into goal_states (
    id, organization_id, goal_id, project_id, creator_id, metric, period, target_value, start_date,
    is_active, platform_scope, is_deleted, valid_from
)
select
    gen_random_uuid(),
    organization_id,
    id,
    project_id,
    creator_id,
    metric,
    period,
    target_value,
    start_date,
    is_active,
    platform_scope,
    false,
    created_at
from goals
where organization_id = %(organization_id)s;

insert into payout_budgets (
    id, organization_id, project_id, campaign_id, name, amount_cents, period, thresholds, on_exceeded,
    created_at, updated_at
)
select
    pg_temp.made_id('budget', number),
    %(organization_id)s,
    %(project_id)s,
    case when number > 0 then pg_temp.made_id('campaign', number - 1) end,
    'Budget ' || number,
    100000000,
    case when number > 0 then 'monthly' end,
    array[50, 80, 100],
    'warn',
    timestamptz '2026-01-01 00:00+00',
    timestamptz '2026-01-01 00:00+00'
from generate_series(0, 4) as number;
