-- The first organization gets 27 of 100 creators with their accounts and posts, and one campaign
-- of all of them: 5,000 counted posts at scale 1. Run before the first build.
-- Variables: organization_id, project_id, campaign_id.
create or replace temporary table moved_creators as
select id as creator_id
from operational.creators
order by id
limit cast(0.27 * (select count(*) from operational.creators) as bigint);

update operational.creators
set organization_id = getvariable('organization_id'), project_id = getvariable('project_id')
where id in (from moved_creators);

update operational.accounts
set organization_id = getvariable('organization_id'), project_id = getvariable('project_id')
where creator_id in (from moved_creators);

update operational.videos
set organization_id = getvariable('organization_id'), project_id = getvariable('project_id')
where creator_id in (from moved_creators);

insert into operational.campaigns by name
select
    getvariable('campaign_id') as id,
    getvariable('organization_id') as organization_id,
    getvariable('project_id') as project_id,
    'Everything' as name,
    now() as created_at;

insert into operational.campaign_items by name
select
    uuid() as id,
    getvariable('campaign_id') as campaign_id,
    creator_id,
    now() as created_at
from moved_creators;
