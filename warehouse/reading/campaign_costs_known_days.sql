select
    days.campaign_id,
    min(days.day) as first_day,
    any_value(cast(timezone(organizations.analytics_tz, publication.as_of) as date)) as last_day
from marts.campaign_daily as days
inner join marts.organizations as organizations using (organization_id)
cross join marts.publication as publication
where
    days.organization_id = $organization_id
    and days.campaign_id in (select cast(unnest(string_split($ids, ',')) as uuid))
    and days.new_views is not null
group by days.campaign_id
