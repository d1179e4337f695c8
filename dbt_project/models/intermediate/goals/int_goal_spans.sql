with

states as (
    select * from {{ ref('stg_goal_states') }}
),

organizations as (
    select * from {{ ref('stg_organizations') }}
),

offsets as (
    select * from {{ ref('int_utc_offsets') }}
),

first_readings as (
    select
        accounts.creator_id,
        last_readings.first_captured_at
    from {{ ref('stg_accounts') }} as accounts
    inner join {{ ref('int_account_last_readings') }} as last_readings using (account_id)
    union all
    select
        owners.creator_id,
        last_readings.first_captured_at
    from {{ ref('int_video_owners') }} as owners
    inner join {{ ref('int_video_last_readings') }} as last_readings using (video_id)
),

first_facts as (
    select
        creator_id,
        min(first_captured_at) as first_captured_at
    from first_readings
    group by creator_id
),

goals as (
    select
        goal_id,
        organization_id,
        creator_id,
        min(valid_from) as created_at,
        min(start_date) as earliest_start,
        bool_or(start_date is null) as was_open
    from states
    group by goal_id, organization_id, creator_id
),

instants as (
    select
        goals.*,
        organizations.analytics_tz,
        least(goals.created_at, first_facts.first_captured_at) as known_from
    from goals
    inner join organizations using (organization_id)
    left join first_facts using (creator_id)
),

dated as (
    select
        instants.goal_id,
        instants.analytics_tz,
        instants.earliest_start,
        instants.was_open,
        {{ local_day("instants.created_at", "at_creation.utc_offset_seconds") }} as created_on,
        {{ local_day("instants.known_from", "at_first.utc_offset_seconds") }} as known_on,
        {{ local_day(as_of(), "now.utc_offset_seconds") }} as last_day
    from instants
    inner join offsets as at_creation
        on
            instants.analytics_tz = at_creation.zone
            and instants.created_at >= at_creation.starts_at
            and instants.created_at < at_creation.ends_at
    inner join offsets as at_first
        on
            instants.analytics_tz = at_first.zone
            and instants.known_from >= at_first.starts_at
            and instants.known_from < at_first.ends_at
    inner join offsets as now
        on
            instants.analytics_tz = now.zone
            and {{ as_of() }} >= now.starts_at
            and {{ as_of() }} < now.ends_at
)

select
    goal_id,
    analytics_tz,
    created_on,
    least(earliest_start, if(was_open, known_on, null)) as first_day,
    last_day
from dated
