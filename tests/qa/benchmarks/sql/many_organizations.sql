-- So many projects in place of those there are: each in an organization of its own, or all of them in
-- `organizations` of them. Run before operational.sql, which gives each project its creators.
-- Variables: organizations, projects.
create or replace temporary table patterns as
select
    projects.*,
    number,
    cast(md5(concat('project ', number)) as uuid) as made_id,
    cast(md5(concat('organization ', number % getvariable('organizations'))) as uuid) as made_organization_id
from range(getvariable('projects')) as numbers (number)
cross join (from operational.projects limit 1) as projects;

create or replace temporary table organization_patterns as
from operational.organizations
limit 1;

delete from operational.projects;

insert into operational.projects
select * exclude (number, made_id, made_organization_id) replace (made_id as id, made_organization_id as organization_id)
from patterns;

delete from operational.organizations;

insert into operational.organizations
select organization_patterns.* replace (made.made_organization_id as id)
from organization_patterns
cross join (select distinct made_organization_id from patterns) as made;
