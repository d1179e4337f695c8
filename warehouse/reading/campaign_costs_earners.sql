with

members as (
    select video_id
    from marts.campaign_videos
    where
        organization_id = $organization_id
        and campaign_id in (select cast(unnest(string_split($ids, ',')) as uuid))
),

earners as (
    select creator_id
    from marts.campaign_creators
    where
        organization_id = $organization_id
        and campaign_id in (select cast(unnest(string_split($ids, ',')) as uuid))
    union
    select owners.creator_id
    from machinery.video_past_owners as owners
    semi join members using (video_id)
    union
    select conversions.creator_id
    from marts.conversions as conversions
    semi join members using (video_id)
    where conversions.organization_id = $organization_id
    union
    select decided.creator_id
    from machinery.payout_decided_accruals as decided
    semi join members on decided.subject_id = members.video_id
    where decided.organization_id = $organization_id
)

select creator_id
from earners
where creator_id is not null
order by creator_id
