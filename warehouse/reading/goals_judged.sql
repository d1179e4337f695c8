select
    goal_id,
    creator_id,
    metric,
    period,
    start_date,
    end_date,
    goal_state_id,
    project_id,
    target_value,
    platform_scope,
    platform,
    account_id,
    period_start,
    period_end,
    ends_at,
    actual,
    percentage,
    status
from marts.goal_compliance
where
    organization_id = $organization_id
    and project_id = $project_id
    and $day between period_start and period_end
    and ($creator_id is null or creator_id = $creator_id)
order by creator_id, goal_id
