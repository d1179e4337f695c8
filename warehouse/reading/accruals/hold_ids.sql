-- Accruals and the anomalies that they wait for, released ones too, of an organization.

select
    accrual_id,
    anomaly_id
from marts.payout_holds
where organization_id = $organization_id
