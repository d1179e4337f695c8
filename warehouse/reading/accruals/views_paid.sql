-- How many views accruals of cpm count, those carried over included, and how many reached a view bonus.
select
    accrual_id,
    coalesce(
        cpm_evidence[1].impressions + cpm_evidence[1].carry_in, -- noqa: RF01
        cast(evidence ->> 'views_read' as bigint)
    ) as number
from machinery.payout_earned
where
    organization_id = $organization_id
    and accrual_id in (select cast(unnest(string_split($ids, ',')) as uuid))
