select
    api_keys.id,
    api_keys.name as key_name,
    api_keys.key_hash,
    api_keys.status,
    api_keys.deactivation_reason,
    api_keys.expires_at,
    api_keys.last_used_at,
    api_keys.scopes,
    api_keys.acts_as_user_id,
    api_keys.created_by_user_id,
    organizations.id as organization_id,
    organizations.name as organization_name,
    organizations.plan,
    organizations.analytics_tz,
    organizations.is_suspended,
    coalesce(acting.role, '') as role,
    case when %(own_notes)s then acting.readme end as own_notes,
    acting_user.display_name,
    acting_user.is_banned,
    acting_user.is_platform_admin and creating_user.is_platform_admin as is_platform_admin,
    coalesce(creating.role, '') as creator_role,
    creating_user.is_banned as creator_is_banned
from api_keys
inner join organizations on api_keys.organization_id = organizations.id
inner join users as acting_user on api_keys.acts_as_user_id = acting_user.id
inner join users as creating_user on api_keys.created_by_user_id = creating_user.id
left join members as acting
    on
        api_keys.organization_id = acting.organization_id
        and api_keys.acts_as_user_id = acting.user_id
left join members as creating
    on
        api_keys.organization_id = creating.organization_id
        and api_keys.created_by_user_id = creating.user_id
where api_keys.key_hash = %(key_hash)s
