"""Tools about the service, the caller, its organization, members, keys, and platform admins."""

from serving_api.mcp.catalog.entry import Entries, Entry

ORGANIZATION: Entries = {
    "get_me": Entry(
        "me_get",
        "the other members are in `members_list`.",
        use="Call it first: it tells whom you act for, in which organization, and with which"
        " scopes.",
    ),
    "change_me": Entry(
        "me_update",
        "it replaces the whole text; to add a paragraph, use `notes_write` with mode `append`.",
    ),
    "create_organization": Entry(
        "organizations_create",
        "an undertaking within this organization is a project: `projects_create`.",
    ),
    "get_organization": Entry(
        "organizations_get",
        "its people are in `members_list`, its projects in `projects_list`.",
    ),
    "change_organization": Entry(
        "organizations_update",
        "a project has its own name and settings: `projects_update`.",
    ),
    "list_members": Entry(
        "members_list",
        "creators are not members: `creators_list`. Who was only invited is in `invitations_list`.",
        use="For who has access to the organization, and their roles.",
    ),
    "add_member": Entry(
        "members_add",
        "whoever shares no organization with you is invited by it, as by `invitations_create`.",
    ),
    "change_member": Entry(
        "members_update",
        "a member's own notes are written by that member alone: `me_update`.",
    ),
    "remove_member": Entry(
        "members_remove",
        "to take away only a key, use `api_keys_revoke`; to take away only rights,"
        " `members_update`.",
    ),
    "list_invitations": Entry(
        "invitations_list",
        "people who accepted are in `members_list`.",
    ),
    "create_invitation": Entry(
        "invitations_create",
        "whoever shares an organization with you is added at once: `members_add`.",
    ),
    "revoke_invitation": Entry(
        "invitations_revoke",
        "one that was accepted is a membership: `members_remove`.",
    ),
    "list_api_keys": Entry(
        "api_keys_list",
        "keys cannot be read here, only what is known of them; a lost one is replaced with"
        " `api_keys_create`.",
    ),
    "create_api_key": Entry(
        "api_keys_create",
        "never make a key unless someone asked for one: its answer holds a secret.",
    ),
    "revoke_api_key": Entry(
        "api_keys_revoke",
        "a person's access ends with `members_remove`. Revoking cannot be undone.",
    ),
    "list_all_organizations": Entry(
        "platform_organizations_list",
        "the organization you act in is `organizations_get`.",
    ),
    "change_any_organization": Entry(
        "platform_organizations_update",
        "name and zone of the organization you act in change with `organizations_update`.",
    ),
    "forecast_looks": Entry(
        "platform_looks_forecast",
        "how old readings are now is told by `projects_health`; this looks ahead, and is for"
        " platform admins.",
    ),
    "ban_user": Entry(
        "platform_users_ban",
        "to end a membership in one organization, use `members_remove`.",
        takes_away=True,
    ),
    "unban_user": Entry(
        "platform_users_unban",
        "someone who left an organization comes back with `members_add`.",
    ),
}


SERVICE: Entries = {
    "get_schema": Entry(
        "schema_get",
        "it holds no data; each thing has a tool that lists it.",
        use="What there is, how it is connected, and what its fields mean.",
    ),
    "list_changelog": Entry(
        "changelog_list",
        "what happened to creators and posts is not in it: see `analytics_query` and `notes_list`.",
        use="What changed in this service, for whoever writes programs against it.",
    ),
}
