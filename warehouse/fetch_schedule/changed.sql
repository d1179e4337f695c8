with changed as (
    select
        array(
            select id from organizations
            where changed_by >= %(since)s
        ) as organizations,
        array(
            select id from projects
            where changed_by >= %(since)s
        ) as projects,
        array(
            select id from creators
            where changed_by >= %(since)s
        ) as creators,
        array(
            select id from payout_structures
            where changed_by >= %(since)s
            union
            select structure_id from payout_versions
            where changed_by >= %(since)s
        ) as structures
)

select
    exists(
        select from videos
        where changed_by >= %(since)s
    ) as videos,
    organizations,
    projects,
    array(
        select id from accounts
        where changed_by >= %(since)s
        union
        select id from accounts
        where creator_id = any(creators)
        union
        select id from accounts
        where project_id = any(projects)
        union
        select id from accounts
        where organization_id = any(organizations)
    ) as accounts,
    array(
        select creator_id from payout_assignments
        where changed_by >= %(since)s or structure_id = any(structures)
        union
        select creator_id from look_deadlines
        where changed_by >= %(since)s
    ) as creators
from changed
