select
    coalesce(members.campaign_id, theirs.campaign_id) as campaign_id,
    if($by_creator, costs.creator_id, null) as creator_id,
    costs.day,
    rules.bounded_cents(sum(costs.amount_cents)) as cost_cents,
    if(costs.video_id is null, costs.criteria_type, null) as without_post
from marts.payout_costs as costs
left join marts.campaign_videos as members using (organization_id, video_id)
left join marts.campaign_creators as theirs
    on
        costs.video_id is null
        and costs.organization_id = theirs.organization_id
        and costs.creator_id = theirs.creator_id
where
    costs.organization_id = $organization_id
    and coalesce(members.campaign_id, theirs.campaign_id) in (
        select cast(unnest(string_split($ids, ',')) as uuid)
    )
    and not costs.is_planned
    and costs.currency = $currency
    and costs.day >= $from_day
    and costs.day <= $to_day
    and costs.creator_id in (select unnest($earners))
group by all
