select goal_id
from marts.goal_compliance
where
    organization_id = $organization_id
    and project_id = $project_id
    and period_end between $from_day and $to_day
    and status in ('completed', 'missed')
group by goal_id
having arg_max(status, period_end) = 'missed'
