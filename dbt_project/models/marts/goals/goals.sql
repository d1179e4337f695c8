select
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
    is_in_force,
    is_deleted,
    min(valid_from) over (partition by goal_id) as created_at,
    valid_from as changed_at
from {{ ref('stg_goal_states') }}
qualify row_number() over (partition by goal_id order by valid_from desc) = 1
