with

versions as (
    select * from {{ ref('stg_payout_versions') }}
),

last_versions as (
    select
        structure_id,
        arg_max(criteria_type, version_number) as criteria_type,
        arg_max(coalesce(period, 'none'), version_number) as period_kind
    from versions
    group by structure_id
),

of_present_shape as (
    select versions.*
    from versions
    inner join last_versions using (structure_id, criteria_type)
    where coalesce(versions.period, 'none') = last_versions.period_kind
)

select
    version_id,
    structure_id,
    version_number,
    criteria_type,
    period,
    amount_cents,
    criteria_params,
    proration_mode,
    platform_scope,
    platform,
    account_id,
    created_at,
    coalesce(lead(created_at) over in_time, timestamptz 'infinity') as replaced_at,
    if(
        version_number = min(version_number) over of_structure,
        min(created_at) over of_structure,
        timestamptz '-infinity'
    ) as first_until
from of_present_shape
window
    of_structure as (partition by structure_id),
    in_time as (partition by structure_id order by created_at, version_number)
