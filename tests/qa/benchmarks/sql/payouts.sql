-- How the creators are paid: each organization has three structures for all of its creators, by the day
-- for views, by the week for a goal, and once for posts that reach a number of views. Run before the
-- first build, in the session that ran operational.sql. Variable: begins (the first reading).
insert into operational.payout_structures by name
select
    made_id(concat('structure ', criteria_type), place) as id,
    organization_id,
    project_id,
    criteria_type as name,
    true as is_active,
    getvariable('begins') - interval 1 day as created_at
from tenants
cross join (values ('cpm'), ('goals'), ('view_threshold')) as types (criteria_type);

insert into operational.payout_versions by name
select
    made_id('version', hash(structures.id) // 2) as id,
    structures.organization_id,
    structures.id as structure_id,
    1 as number,
    types.period,
    types.amount_cents,
    types.criteria_type,
    types.criteria_params,
    types.proration_mode,
    false as backfill_on_assignment,
    'all' as platform_scope,
    false as hold_anomalies,
    structures.created_at
from operational.payout_structures as structures
inner join (
    values
    (
        'cpm', 'daily', 0, 'skip',
        '{"source": "views_gained", "view_lifetime_days": 120, "min_impressions": 3000,
        "max_payout_cents": 900, "tiers": [
            {"up_to_impressions": 4000, "cents_per_thousand": 100.5},
            {"up_to_impressions": 12000, "cents_per_thousand": 80.25},
            {"up_to_impressions": null, "cents_per_thousand": 33.333333}
        ]}'
    ),
    (
        'goals', 'weekly', 5000, 'prorate',
        '{"mode": "all", "n": null, "partial_allowed": true, "partial_multiplier": 0.5,
        "min_completion_pct": 20}'
    ),
    (
        'view_threshold', null, null, 'skip',
        '{"thresholds": [
            {"view_count": 500000, "amount_cents": 1000, "currency": "USD"},
            {"view_count": 1000000, "amount_cents": 2500, "currency": "USD"},
            {"view_count": 2500000, "amount_cents": 5000, "currency": "USD"}
        ]}'
    )
) as types (criteria_type, period, amount_cents, proration_mode, criteria_params)
    on structures.name = types.criteria_type;

insert into operational.payout_assignments by name
select
    uuid() as id,
    creators.organization_id,
    structures.id as structure_id,
    creators.id as creator_id,
    cast(getvariable('begins') as date) as start_date
from operational.creators as creators
inner join operational.payout_structures as structures using (project_id);

insert into operational.goal_states by name
select
    made_id('goal state', hash(id) // 2) as id,
    made_id('goal', hash(id) // 2) as goal_id,
    organization_id,
    project_id,
    id as creator_id,
    'views' as metric,
    'weekly' as period,
    60000 as target_value,
    cast(getvariable('begins') as date) as start_date,
    true as is_active,
    'all' as platform_scope,
    false as is_deleted,
    getvariable('begins') as valid_from
from operational.creators;
