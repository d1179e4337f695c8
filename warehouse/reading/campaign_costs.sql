select
    creator_id,
    day,
    rules.bounded_cents(sum(cost_cents)) as cost_cents
from marts.campaign_costs
where
    organization_id = $organization_id
    and campaign_id = $campaign_id
    and currency = $currency
    and day >= $from_day
    and day <= $to_day
    and creator_id in (select unnest($earners))
group by creator_id, day
