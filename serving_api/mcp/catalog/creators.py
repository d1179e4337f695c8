"""Tools for creators, their accounts, share links and scrapes."""

from serving_api.mcp.catalog.entry import Entries, Entry

BRIEF = {
    "data": {
        *("id", "project_id", "display_name", "handle", "is_active", "follower_count"),
        *("video_count", "tracked_post_count", "pending_review_count", "accounts", "tags"),
        *("created_at", "updated_at"),
    },
    "accounts": {"id", "platform", "handle", "is_active", "follower_count", "last_scraped_at"},
    "tags": {"name"},
}

CREATORS: Entries = {
    "list_creators": Entry(
        "creators_list",
        "to rank creators by growth, use `leaderboards_creators`; for numbers over"
        " time, `analytics_query`.",
        use="To find a creator by name or handle, pass `search`. Creators and accounts are short"
        " here; `creators_get` has all their fields.",
        example={"search": "demo"},
        words="roster, contact, email, addresses",
        brief=BRIEF,
    ),
    "create_creator": Entry(
        "creators_create",
        "to add an account to an existing creator, use `accounts_create`;"
        " check with `creators_list` first. Several at once: `creators_create_many`.",
        use="For a new creator with accounts on TikTok or Instagram.",
        words="sign up, onboard",
    ),
    "create_project_creators": Entry(
        "creators_create_many",
        "for a single creator, use `creators_create`.",
        words="list, handles, paste, one go",
    ),
    "get_creator": Entry(
        "creators_get",
        "what the creator is owed is `payout_balances_get`, post numbers are `analytics_query`.",
    ),
    "change_creator": Entry(
        "creators_update",
        "handles belong to accounts: `accounts_update`. Text about the creator is `notes_write`.",
    ),
    "remove_creator": Entry(
        "creators_remove",
        "for a break, use `creators_deactivate`, which can be undone.",
        words="fire",
    ),
    "scrape_creator": Entry(
        "creators_scrape",
        "scrapes run on a schedule; request one only if numbers must be fresh now.",
        goes_out=True,
        words="refresh, numbers, latest, fresh, sync, now, reload, pull",
    ),
    "deactivate_creator": Entry(
        "creators_deactivate",
        "to pause one of several accounts, use `accounts_deactivate`; permanently,"
        " `creators_remove`.",
        takes_away=True,
        words="break, holiday, leave, maternity, sick, vacation",
    ),
    "reactivate_creator": Entry(
        "creators_reactivate",
        "to reactivate a single account, use `accounts_reactivate`.",
        words="bring back",
    ),
    "list_accounts": Entry(
        "accounts_list", "the accounts of one creator are already in `creators_get`."
    ),
    "list_creator_accounts": Entry(
        "creator_accounts_list",
        "accounts across creators are `accounts_list`.",
    ),
    "add_creator_account": Entry(
        "accounts_create",
        "for a new creator, use `creators_create`, accounts included.",
    ),
    "get_account": Entry("accounts_get", "followers over time are `accounts_stats`."),
    "change_account": Entry(
        "accounts_update",
        "to pause it use `accounts_deactivate`.",
        words="renamed",
    ),
    "remove_account": Entry(
        "accounts_remove",
        "for a pause, use `accounts_deactivate`, which can be undone.",
    ),
    "get_account_stats": Entry(
        "accounts_stats",
        "views and likes of posts over time are `analytics_query`.",
        use="For the growth of an account: followers over time.",
        words="audience, fans, subscribers, growth, follower, popularity, size, followers, big",
    ),
    "scrape_account": Entry(
        "accounts_scrape",
        "scrapes run on a schedule; each request counts against a daily quota.",
        goes_out=True,
    ),
    "deactivate_account": Entry(
        "accounts_deactivate",
        "to pause a creator with all accounts, use `creators_deactivate`; permanently,"
        " `accounts_remove`.",
        takes_away=True,
    ),
    "reactivate_account": Entry(
        "accounts_reactivate", "if the creator is deactivated, use `creators_reactivate`."
    ),
    "create_connect_link": Entry(
        "connect_links_create",
        "connected accounts need none; `accounts_get` shows which are.",
        use="A page where a creator authorizes access to the platforms' APIs, for exact numbers.",
        words="OAuth, authorize, consent, login, link up, permission, sign in",
    ),
    "disconnect_account": Entry(
        "accounts_disconnect", "to stop tracking the account, use `accounts_deactivate`."
    ),
    "get_share_link": Entry("share_links_get", "to create one, use `share_links_put`."),
    "put_share_link": Entry(
        "share_links_put",
        "to change sections and keep the PIN, use `share_links_update`.",
        use="A public page with a PIN that shows a creator's own numbers.",
        takes_away=True,
        words="influencer, dashboard, self service, show, see",
    ),
    "change_share_link": Entry(
        "share_links_update", "if there is none yet, use `share_links_put`."
    ),
    "delete_share_link": Entry(
        "share_links_delete",
        "to close it temporarily, set `enabled` to false with `share_links_update`.",
        use="To revoke the link of a creator's page.",
    ),
    "list_reports": Entry("reports_list", "their numbers are those of `projects_health`."),
    "share_report": Entry(
        "reports_share",
        "to share a creator's own page, use `share_links_put`.",
        use="For people outside the organization who need a project's or campaign's results.",
        words="client, public, page, dashboard",
    ),
    "revoke_report": Entry(
        "reports_revoke", "it cannot be reopened; share a new one with `reports_share`."
    ),
    "share_creators": Entry(
        "share_links_put_many",
        "it gives each creator a new PIN; for one creator use `share_links_put`.",
        takes_away=True,
    ),
    "get_scrape_job": Entry(
        "scrape_jobs_get",
        "to start one, use `accounts_scrape`, `creators_scrape` or `videos_scrape`.",
        words="refresh, finished, progress, ready, done, still, running",
    ),
}
