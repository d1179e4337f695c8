select
    campaign_id,
    if($by_creator, costs.creator_id, null) as creator_id,
    day,
    rules.bounded_cents(sum(cost_cents)) as cost_cents
from marts.campaign_costs as costs
where
    organization_id = $organization_id
    and campaign_id in (select cast(unnest(string_split($ids, ',')) as uuid))
    and currency = $currency
    and day >= $from_day
    and day <= $to_day
    and costs.creator_id in (select unnest($earners))
group by all
