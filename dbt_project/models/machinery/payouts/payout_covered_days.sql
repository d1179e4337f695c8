select
    intervals.payee_id,
    payees.organization_id,
    payees.project_id,
    payees.structure_id,
    payees.creator_id,
    intervals.from_day,
    if(intervals.until_day < 'infinity', intervals.until_day - 1, null) as to_day
from {{ ref('int_payout_intervals') }} as intervals
inner join {{ ref('int_payout_payees') }} as payees using (payee_id)
where intervals.state = 'covered'
