-- An organization's accruals that people decided or paid, and all adjustments, as published.

select * exclude (evidence)
from machinery.payout_decided_accruals
where organization_id = $organization_id
