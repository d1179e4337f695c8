select
    oauth_grants.id as grant_id,
    oauth_grants.revoked_at is not null as is_ended,
    oauth_tokens.scopes,
    oauth_clients.name as client_name,
    organizations.id as organization_id,
    organizations.name as organization_name,
    organizations.plan,
    organizations.analytics_tz,
    organizations.is_suspended,
    users.id as user_id,
    users.display_name,
    users.is_banned,
    coalesce(members.role, '') as role,
    case when %(own_notes)s then members.readme end as own_notes
from oauth_tokens
join oauth_grants on oauth_grants.id = oauth_tokens.grant_id
join oauth_clients on oauth_clients.id = oauth_grants.client_id
join organizations on organizations.id = oauth_grants.organization_id
join users on users.id = oauth_grants.user_id
left join members
    on
        members.organization_id = oauth_grants.organization_id
        and members.user_id = oauth_grants.user_id
where
    oauth_tokens.token_hash = %(token_hash)s
    and oauth_tokens.kind = 'access'
    and oauth_tokens.expires_at > %(now)s
    and oauth_grants.resource = %(resource)s
