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
inner join oauth_grants on oauth_tokens.grant_id = oauth_grants.id
inner join oauth_clients on oauth_grants.client_id = oauth_clients.id
inner join organizations on oauth_grants.organization_id = organizations.id
inner join users on oauth_grants.user_id = users.id
left join members
    on
        oauth_grants.organization_id = members.organization_id
        and oauth_grants.user_id = members.user_id
where
    oauth_tokens.token_hash = %(token_hash)s
    and oauth_tokens.kind = 'access'
    and oauth_tokens.expires_at > %(now)s
    and oauth_grants.resource = %(resource)s
