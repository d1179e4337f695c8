select
    members.campaign_id,
    if($by_creator, costs.creator_id, null) as creator_id,
    costs.day,
    rules.bounded_cents(sum(costs.amount_cents)) as cost_cents,
    if(costs.video_id is null, costs.criteria_type, null) as without_post
from marts.payout_costs as costs
left join marts.campaign_videos as members using (organization_id, video_id)
where
    organization_id = $organization_id
    and (
        costs.video_id is null
        or members.campaign_id in (select cast(unnest(string_split($ids, ',')) as uuid))
    )
    and not costs.is_planned
    and costs.currency = $currency
    and costs.day >= $from_day
    and costs.day <= $to_day
    and costs.creator_id in (select unnest($earners))
group by all
