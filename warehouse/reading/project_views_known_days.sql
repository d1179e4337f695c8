with

first_reading as (
    select min(view_first_captured_at) as first_at
    from marts.videos
    where organization_id = $organization_id and project_id = $project_id and is_counted
)

select
    cast(timezone(organizations.analytics_tz, first_reading.first_at) as date) as first_day,
    cast(timezone(organizations.analytics_tz, publication.as_of) as date) as last_day,
    organizations.analytics_tz
from first_reading
cross join marts.publication as publication
inner join marts.organizations as organizations
    on organizations.organization_id = $organization_id
where first_reading.first_at is not null
