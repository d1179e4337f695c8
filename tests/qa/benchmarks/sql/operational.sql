-- What people decided, beside the organizations, which are there already: creators with an account
-- each, their posts, and campaigns. Variables: creators, videos, begins (the first reading).
create or replace temporary macro made_id(kind, number) as (
    with digest as (select md5(concat(kind, number)) as text)
    select cast(
        '0190' || text[1:4] || '-' || text[5:8] || '-7' || text[9:11] || '-8' || text[12:14] || '-' || text[15:26]
        as uuid
    )
    from digest
);

create or replace temporary table tenants as
select
    projects.organization_id,
    projects.id as project_id,
    row_number() over (order by projects.id) - 1 as place
from operational.projects;

insert into operational.creators by name
select
    made_id('creator', number) as id,
    organization_id,
    project_id,
    concat('Creator ', number) as display_name,
    true as is_active,
    getvariable('begins') - interval 90 days as created_at
from range(getvariable('creators')) as numbers (number)
inner join tenants on number % (select count(*) from tenants) = place
order by number;

insert into operational.accounts by name
select
    made_id('account', number) as id,
    organization_id,
    project_id,
    made_id('creator', number) as creator_id,
    if(number // 10 % 2 = 0, 'tiktok', 'instagram') as platform,
    concat('creator.', number) as handle,
    concat('77', number) as platform_user_id,
    true as is_active,
    getvariable('begins') - interval 90 days as created_at
from range(getvariable('creators')) as numbers (number)
inner join tenants on number % (select count(*) from tenants) = place
order by number;

insert into operational.videos by name
select
    made_id('video', number) as id,
    accounts.organization_id,
    accounts.project_id,
    accounts.creator_id,
    accounts.id as account_id,
    accounts.platform,
    concat('73', number) as platform_video_id,
    concat('https://', accounts.platform, '.example/', number) as url,
    if(number % 20 = 7, 'pending_review', 'auto_tracked') as tracking_status,
    false as tracking_disabled,
    getvariable('begins') - (number % 60) * interval 1 day as posted_at,
    false as posted_at_is_estimate,
    getvariable('begins') as created_at
from range(getvariable('videos')) as numbers (number)
inner join operational.accounts on accounts.id = made_id('account', number % getvariable('creators'))
order by number;

insert into operational.campaigns by name
select
    made_id('campaign', 10 * place + number) as id,
    organization_id,
    project_id,
    concat('Campaign ', number) as name,
    getvariable('begins') as created_at
from tenants
cross join range(6) as numbers (number);

-- Campaigns 1 to 5 have a fifth of the creators each and a hundredth of the posts; 0 has 1 and 2.
insert into operational.campaign_items by name
select
    uuid() as id,
    made_id('campaign', 10 * place + 1 + numbered.number % 5) as campaign_id,
    numbered.id as creator_id,
    getvariable('begins') as created_at
from (
    select
        id,
        project_id,
        row_number() over (partition by project_id order by id) as number
    from operational.creators
) as numbered
inner join tenants using (project_id)
union all by name
select
    uuid() as id,
    made_id('campaign', 10 * place + 1 + numbered.number % 5) as campaign_id,
    numbered.id as video_id,
    getvariable('begins') as created_at
from (
    select
        id,
        project_id,
        row_number() over (partition by project_id order by id) as number
    from operational.videos
) as numbered
inner join tenants using (project_id)
where numbered.number % 20 = 0
union all by name
select
    uuid() as id,
    made_id('campaign', 10 * place) as campaign_id,
    made_id('campaign', 10 * place + number) as child_campaign_id,
    getvariable('begins') as created_at
from tenants
cross join range(1, 3) as numbers (number);
