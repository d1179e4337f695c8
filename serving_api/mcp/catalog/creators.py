"""Tools about creators, their accounts on the platforms, share links and scrapes."""

from serving_api.mcp.catalog.entry import Entries, Entry

CREATORS: Entries = {
    "list_creators": Entry(
        "creators_list",
        "to rank creators by what they gained, use `leaderboards_creators`; for numbers over"
        " time, `analytics_query`.",
        use="To find a creator by name or handle, pass `search`.",
        example={"search": "demo"},
    ),
    "create_creator": Entry(
        "creators_create",
        "a further account of someone who is a creator already is added with `accounts_create`;"
        " look with `creators_list` first. Several at once: `creators_create_many`.",
        use="For a new creator with accounts on TikTok or Instagram.",
    ),
    "create_project_creators": Entry(
        "creators_create_many",
        "a single one is as well made with `creators_create`.",
    ),
    "get_creator": Entry(
        "creators_get",
        "what the creator is owed is `payout_balances_get`, how posts do `analytics_query`.",
    ),
    "change_creator": Entry(
        "creators_update",
        "handles belong to accounts: `accounts_update`. Text about the creator is `notes_write`.",
    ),
    "remove_creator": Entry(
        "creators_remove",
        "for a break, use `creators_deactivate`, which can be undone.",
    ),
    "scrape_creator": Entry(
        "creators_scrape",
        "scrapes run on a schedule by themselves; ask only for what must be fresh now.",
        goes_out=True,
    ),
    "deactivate_creator": Entry(
        "creators_deactivate",
        "one account of several rests with `accounts_deactivate`; for good it is"
        " `creators_remove`.",
        takes_away=True,
    ),
    "reactivate_creator": Entry(
        "creators_reactivate",
        "an account that was deactivated alone comes back with `accounts_reactivate`.",
    ),
    "list_accounts": Entry(
        "accounts_list",
        "the accounts of one creator are in `creators_get` already.",
    ),
    "list_creator_accounts": Entry(
        "creator_accounts_list",
        "accounts across creators are `accounts_list`.",
    ),
    "add_creator_account": Entry(
        "accounts_create",
        "a person who is no creator yet is made with `creators_create`, accounts included.",
    ),
    "get_account": Entry(
        "accounts_get",
        "followers over time are `accounts_stats`.",
    ),
    "change_account": Entry(
        "accounts_update",
        "to pause it use `accounts_deactivate`.",
    ),
    "remove_account": Entry(
        "accounts_remove",
        "for a pause, use `accounts_deactivate`, which can be undone.",
    ),
    "get_account_stats": Entry(
        "accounts_stats",
        "views and likes of posts over time are `analytics_query`.",
        use="For the growth of an account: followers over time.",
    ),
    "scrape_account": Entry(
        "accounts_scrape",
        "scrapes run on a schedule by themselves; each of these counts against a daily quota.",
        goes_out=True,
    ),
    "deactivate_account": Entry(
        "accounts_deactivate",
        "a creator with all accounts rests with `creators_deactivate`; for good it is"
        " `accounts_remove`.",
        takes_away=True,
    ),
    "reactivate_account": Entry(
        "accounts_reactivate",
        "where the creator is deactivated, use `creators_reactivate`.",
    ),
    "create_connect_link": Entry(
        "connect_links_create",
        "accounts that are connected already need none; `accounts_get` says which.",
        use="A page where a creator lets the platforms' own APIs be read, for exact figures.",
    ),
    "disconnect_account": Entry(
        "accounts_disconnect",
        "to stop looking at the account, use `accounts_deactivate`.",
    ),
    "get_share_link": Entry(
        "share_links_get",
        "it makes none: `share_links_put` does.",
    ),
    "put_share_link": Entry(
        "share_links_put",
        "to change sections and keep the PIN, use `share_links_update`.",
        use="A page outside the service that shows a creator its own numbers, behind a PIN.",
        takes_away=True,
    ),
    "change_share_link": Entry(
        "share_links_update",
        "where there is none yet, use `share_links_put`.",
    ),
    "delete_share_link": Entry(
        "share_links_delete",
        "to close it for a while, set `enabled` to false with `share_links_update`.",
        use="To revoke the link of a creator's page.",
    ),
    "list_reports": Entry(
        "reports_list",
        "their numbers are those of `projects_health`.",
    ),
    "share_report": Entry(
        "reports_share",
        "to share a creator's own page, use `share_links_put`.",
        use="For people outside who are to see how a project or a campaign does.",
    ),
    "revoke_report": Entry(
        "reports_revoke",
        "it cannot be opened again: share another with `reports_share`.",
    ),
    "share_creators": Entry(
        "share_links_put_many",
        "it gives every one of them a new PIN; for one creator use `share_links_put`.",
        takes_away=True,
    ),
    "get_scrape_job": Entry(
        "scrape_jobs_get",
        "it starts nothing: `accounts_scrape`, `creators_scrape` and `videos_scrape` do.",
    ),
}
