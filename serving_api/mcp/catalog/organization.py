"""Tools for the service, the caller, the organization, members, keys, and platform admins."""

from serving_api.mcp.catalog.entry import Entries, Entry

ORGANIZATION: Entries = {
    "get_me": Entry(
        "me_get",
        "the other members are in `members_list`.",
        use="Call it first: it returns the member and organization you act for, and your scopes.",
        words="who am I, my permissions, identity",
    ),
    "change_me": Entry(
        "me_update",
        "it replaces the whole text; to add a paragraph, use `notes_write` with mode `append`.",
    ),
    "create_organization": Entry(
        "organizations_create", "for a project within this organization, use `projects_create`."
    ),
    "get_organization": Entry(
        "organizations_get",
        "its members are in `members_list`, its projects in `projects_list`.",
        words="plan, quota, used up, left, allowance, subscription",
    ),
    "change_organization": Entry(
        "organizations_update",
        "a project has its own name and settings: `projects_update`.",
    ),
    "list_members": Entry(
        "members_list",
        "creators are not members: `creators_list`. Pending invitations are in `invitations_list`.",
        use="Lists everyone with access to the organization, and their roles.",
    ),
    "add_member": Entry(
        "members_add",
        "someone who shares no organization with you is invited, as with `invitations_create`.",
        words="access",
    ),
    "change_member": Entry(
        "members_update",
        "only the member can write the member's notes: `me_update`.",
        words="promote, demote, admin, role, rights",
    ),
    "remove_member": Entry(
        "members_remove",
        "to remove only a key, use `api_keys_revoke`; to remove only rights, `members_update`.",
        words="kick out, offboard",
    ),
    "list_invitations": Entry("invitations_list", "people who accepted are in `members_list`."),
    "create_invitation": Entry(
        "invitations_create",
        "someone who shares an organization with you is added at once: `members_add`.",
    ),
    "revoke_invitation": Entry(
        "invitations_revoke", "to end an accepted one, use `members_remove`."
    ),
    "list_api_keys": Entry(
        "api_keys_list",
        "it never returns the keys themselves; replace a lost one with `api_keys_create`.",
    ),
    "create_api_key": Entry(
        "api_keys_create",
        "create a key only if the user asked for one: the response contains a secret.",
    ),
    "revoke_api_key": Entry(
        "api_keys_revoke",
        "to end a member's access, use `members_remove`. Revoking cannot be undone.",
        words="leaked, stolen",
    ),
    "list_connected_apps": Entry(
        "connected_apps_list", "programs with an API key are in `api_keys_list`."
    ),
    "disconnect_app": Entry(
        "connected_apps_disconnect",
        "to revoke an API key, use `api_keys_revoke`. A person has to authorize the app again.",
        words="revoke consent, OAuth, log out",
    ),
    "list_all_organizations": Entry(
        "platform_organizations_list", "the organization you act in is `organizations_get`."
    ),
    "change_any_organization": Entry(
        "platform_organizations_update",
        "name and zone of the organization you act in change with `organizations_update`.",
    ),
    "ban_user": Entry(
        "platform_users_ban",
        "to end a membership in one organization, use `members_remove`.",
        takes_away=True,
        words="block, lock out, spammer",
    ),
    "unban_user": Entry(
        "platform_users_unban", "to add back someone who left an organization, use `members_add`."
    ),
}


SERVICE: Entries = {
    "get_schema": Entry(
        "schema_get",
        "it contains no data; use the tool that lists each type.",
        use="The data model: types, relations, and the meaning of fields.",
        words="database, structure, tables, columns, fields",
    ),
    "list_changelog": Entry(
        "changelog_list",
        "for changes of creators and posts, see `analytics_query` and `notes_list`.",
        use="Changes of this API, for developers.",
        words="news, software, release, lately, new",
    ),
}


WEBHOOKS: Entries = {
    "list_webhook_endpoints": Entry(
        "webhooks_list", "the messages sent to one of them are `webhooks_deliveries`."
    ),
    "create_webhook_endpoint": Entry(
        "webhooks_create",
        "create one only if the user asked for it: it receives numbers, and the response contains"
        " a secret. To change its events, use `webhooks_update`.",
        words="Slack, CRM, hook",
    ),
    "get_webhook_endpoint": Entry(
        "webhooks_get", "the results of its messages are `webhooks_deliveries`."
    ),
    "change_webhook_endpoint": Entry("webhooks_update", "for a new secret, use `webhooks_rotate`."),
    "delete_webhook_endpoint": Entry(
        "webhooks_delete", "to disable it temporarily, use `webhooks_update`."
    ),
    "rotate_webhook_secret": Entry(
        "webhooks_rotate", "to change its URL and events, use `webhooks_update`.", takes_away=True
    ),
    "send_test_webhook": Entry("webhooks_test", "to resend real events, use `webhooks_redeliver`."),
    "list_webhook_deliveries": Entry(
        "webhooks_deliveries",
        "the events themselves are `webhooks_events`.",
        words="failed",
    ),
    "redeliver_webhooks": Entry(
        "webhooks_redeliver",
        "to check whether an endpoint is reachable, use `webhooks_test`.",
        use="To resend events.",
    ),
    "list_webhook_events": Entry(
        "webhooks_events", "the results of sending them are `webhooks_deliveries`."
    ),
}
