with

holding as (
    select
        version_id,
        structure_id,
        platform_scope,
        platform,
        account_id
    from {{ ref('stg_payout_versions') }}
    where hold_anomalies
),

anomalies as (
    select * from {{ ref('reading_anomalies') }}
    where reason <> 'platform_wide'
),

-- Not materialized: evidence is wide, and only needed for some rows.

earned as not materialized (
    select * from {{ ref('payout_earned') }}
),

earnings as (
    select
        earned.accrual_id,
        earned.payee_id,
        earned.organization_id,
        earned.project_id,
        earned.structure_id,
        earned.creator_id,
        earned.criteria_type,
        earned.period_start,
        earned.ends_at,
        earned.subject_id,
        earned.timezone,
        earned.amount_cents,
        holding.platform_scope,
        holding.platform,
        holding.account_id
    from earned
    inner join holding using (version_id)
),

-- Views that a cpm period carries over are paid by the next paying period (M8), which then waits for their
-- readings too.

carried as (
    select
        earned.accrual_id as read_in,
        coalesce(struct_extract(earned.cpm_evidence[1], 'carry_out'), 0) = 0 as pays,
        first_value(if(pays, earned.accrual_id, null) ignore nulls) over (
            partition by earned.payee_id order by earned.period_start
            rows between current row and unbounded following
        ) as paid_in
    from earned
    semi join holding using (structure_id)
    where earned.criteria_type = 'cpm'
),

behind_cpm as (
    select
        read_in,
        unnest(if(pays, [read_in], [read_in, paid_in])) as accrual_id
    from carried
),

-- The posts of a cpm amount, and the instant until which their readings count (M8).

listed as (
    select
        earnings.accrual_id,
        earned.creator_id,
        earned.period_start,
        earned.timezone,
        earned.ends_at,
        unnest(struct_extract(earned.cpm_evidence[1], 'videos')) as post
    from behind_cpm
    inner join earnings using (accrual_id)
    inner join earned on behind_cpm.read_in = earned.accrual_id
),

cpm_posts as (
    select
        listed.accrual_id,
        listed.creator_id,
        listed.period_start,
        listed.timezone,
        listed.ends_at,
        struct_extract(listed.post, 'video_id') as video_id,
        max(coalesce(struct_extract(listed.post, 'lifetime_ends_at'), timestamptz 'infinity'))
            as counts_until
    from listed
    semi join anomalies on struct_extract(listed.post, 'video_id') = anomalies.video_id
    group by all
),

goals_of_readings as (
    select
        earned.accrual_id,
        earned.ends_at,
        cast(unnest(json_extract_string(earned.evidence, '$.goals[*].goal_id')) as uuid) as goal_id,
        unnest(json_extract_string(earned.evidence, '$.goals[*].metric')) as metric
    from earned
    semi join holding using (version_id)
    where earned.criteria_type = 'goals'
),

-- Each goal with the scope used to judge it (M21).

goals as (
    select
        goals_of_readings.accrual_id,
        states.platform,
        states.account_id,
        if(
            goals_of_readings.ends_at <= {{ as_of() }},
            states.valid_from < goals_of_readings.ends_at,
            states.valid_from <= {{ as_of() }}
        ) as has_begun
    from goals_of_readings
    inner join {{ ref('stg_goal_states') }} as states using (goal_id)
    where goals_of_readings.metric in ('views', 'engagement')
    qualify
        row_number() over (
            partition by goals_of_readings.accrual_id, goals_of_readings.goal_id
            order by has_begun desc, if(has_begun, states.valid_from, null) desc nulls last, states.valid_from
        ) = 1
),

-- Cpm and goals count for the post's owner at the time of the reading (M14).

owned as (
    select
        anomalies.anomaly_id,
        anomalies.video_id,
        anomalies.project_id,
        owners.creator_id,
        owners.account_id,
        accounts.platform,
        videos.is_counted and not {{ awaits_posted_at("videos") }} as is_counted,
        greatest(anomalies.first_counted_at, owners.from_at) as first_counted_at,
        least(anomalies.captured_at, owners.until_at) as captured_at
    from anomalies
    inner join {{ ref('int_video_owners') }} as owners
        on
            anomalies.video_id = owners.video_id
            and anomalies.captured_at >= owners.from_at
            and anomalies.first_counted_at < owners.until_at
    left join {{ ref('stg_accounts') }} as accounts on owners.account_id = accounts.account_id
    inner join {{ ref('stg_videos') }} as videos on anomalies.video_id = videos.video_id
),

-- Cpm and goals use the readings in their period, a threshold all readings before its day ended.

odd as (
    select
        posts.accrual_id,
        posts.period_start,
        posts.timezone,
        posts.ends_at,
        false as is_since_ever,
        owned.anomaly_id,
        owned.first_counted_at,
        owned.captured_at
    from cpm_posts as posts
    inner join owned using (video_id, creator_id)
    where posts.counts_until >= owned.first_counted_at
    union all
    select
        earnings.accrual_id,
        earnings.period_start,
        earnings.timezone,
        earnings.ends_at,
        true as is_since_ever,
        anomalies.anomaly_id,
        anomalies.first_counted_at,
        anomalies.captured_at
    from earnings
    inner join anomalies on earnings.subject_id = anomalies.video_id
    where earnings.criteria_type = 'view_threshold'
    union all
    select
        earnings.accrual_id,
        earnings.period_start,
        earnings.timezone,
        earnings.ends_at,
        false as is_since_ever,
        owned.anomaly_id,
        owned.first_counted_at,
        owned.captured_at
    from earnings
    inner join goals using (accrual_id)
    inner join owned
        on
            earnings.project_id = owned.project_id
            and earnings.creator_id = owned.creator_id
            and {{ in_scope("earnings", "owned") }}
            and coalesce(goals.platform = owned.platform, true)
            and coalesce(goals.account_id = owned.account_id, true)
    left join {{ ref('int_payout_kept_videos') }} as retained
        on
            earnings.payee_id = retained.payee_id
            and earnings.period_start = retained.period_start
            and owned.video_id = retained.video_id
    where owned.platform is not null and (owned.is_counted or retained.video_id is not null)
),

behind as (
    select distinct
        accrual_id,
        anomaly_id
    from odd
    where
        ends_at > first_counted_at
        and (is_since_ever or period_start <= cast(timezone(timezone, captured_at) as date))
),

-- The decided part of an accrual: the accrual itself if in a payment or void, and its corrections.

decided as (
    select
        coalesce(accruals.adjusts_accrual_id, accruals.accrual_id) as accrual_id,
        bool_or(
            accruals.payment_id is null and accruals.status <> 'void' and accruals.amount_cents > 0
        ) as is_due
    from {{ ref('payout_decided_accruals') }} as accruals
    semi join behind on coalesce(accruals.adjusts_accrual_id, accruals.accrual_id) = behind.accrual_id
    group by all
)

select
    behind.accrual_id,
    behind.anomaly_id,
    earnings.organization_id,
    earnings.project_id,
    earnings.structure_id,
    earnings.creator_id,
    anomalies.video_id,
    anomalies.captured_at,
    anomalies.reason,
    anomalies.sentence,
    releases.released_at,
    releases.released_at is null and coalesce(decided.is_due, earnings.amount_cents > 0) as is_held
from behind
inner join earnings using (accrual_id)
inner join anomalies using (anomaly_id)
left join decided using (accrual_id)
left join {{ ref('stg_payout_hold_releases') }} as releases
    on behind.accrual_id = releases.accrual_id and behind.anomaly_id = releases.anomaly_id
order by behind.accrual_id, behind.anomaly_id
