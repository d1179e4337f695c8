select
    period_start,
    period_end,
    ends_at,
    target_value,
    actual
from marts.goal_compliance
where
    organization_id = $organization_id
    and project_id = $project_id
    and goal_id = $goal_id
    and metric = $metric
    and period = $period
order by period_start desc, period asc
limit $most
