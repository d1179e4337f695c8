with

conversions as (
    select * from {{ ref('stg_conversions') }}
),

events as (
    select * from {{ ref('stg_conversion_events') }}
),

organizations as (
    select * from {{ ref('stg_organizations') }}
),

offsets as (
    select * from {{ ref('int_utc_offsets') }}
)

select
    conversions.conversion_id,
    conversions.organization_id,
    conversions.project_id,
    conversions.conversion_event_id,
    conversions.target_type,
    conversions.creator_id,
    conversions.account_id,
    conversions.video_id,
    {{ local_day("conversions.occurred_at", "offsets.utc_offset_seconds") }} as day,
    conversions.value_cents,
    conversions.quantity,
    conversions.total_value_cents,
    events.currency,
    conversions.source,
    conversions.label,
    conversions.is_voided,
    conversions.occurred_at,
    conversions.recorded_at
from conversions
inner join events using (conversion_event_id)
inner join organizations on conversions.organization_id = organizations.organization_id
inner join offsets
    on
        organizations.analytics_tz = offsets.zone
        and conversions.occurred_at >= offsets.starts_at
        and conversions.occurred_at < offsets.ends_at
order by conversions.occurred_at, conversions.conversion_id
