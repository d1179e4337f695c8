-- An organization's accruals that people decided or paid, and all adjustments, as published.

select * exclude (evidence)
from marts.payout_decided_accruals
where organization_id = $organization_id
