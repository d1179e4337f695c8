-- Odd readings that an organization's amounts wait for, by the accrual that they are about, released ones
-- too: those of accruals that are named, in one text with commas, or of all.

select
    accrual_id,
    anomaly_id,
    video_id,
    captured_at,
    reason,
    sentence
from marts.payout_holds
where
    organization_id = $organization_id
    and ($ids is null or accrual_id in (select cast(unnest(string_split($ids, ',')) as uuid)))
order by accrual_id, captured_at, anomaly_id
