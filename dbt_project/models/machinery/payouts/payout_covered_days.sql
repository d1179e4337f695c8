select
    stretches.payee_id,
    payees.organization_id,
    payees.project_id,
    payees.structure_id,
    payees.creator_id,
    stretches.from_day,
    if(stretches.until_day < 'infinity', stretches.until_day - 1, null) as to_day
from {{ ref('int_payout_stretches') }} as stretches
inner join {{ ref('int_payout_payees') }} as payees using (payee_id)
where stretches.state = 'covered'
