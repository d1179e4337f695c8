with

copied as (
    select * from {{ source('operational', 'goal_states') }}
)

select
    id as goal_state_id,
    goal_id,
    organization_id,
    project_id,
    creator_id,
    metric,
    period,
    target_value,
    start_date,
    end_date,
    platform_scope,
    platform,
    account_id,
    is_active and not is_deleted as is_in_force,
    is_deleted,
    valid_from
from copied
