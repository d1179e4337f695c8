-- How many views cpm accruals count, those carried over from earlier periods included.

select
    accrual_id,
    cpm_evidence[1].impressions + cpm_evidence[1].carry_in as number -- noqa: RF01
from machinery.payout_earned
where
    organization_id = $organization_id
    and accrual_id in (select cast(unnest(string_split($ids, ',')) as uuid))
    and cpm_evidence is not null
