"""Tools for projects, campaigns, content groups, the inbox, goals and conversions."""

from serving_api.mcp.catalog.entry import Entries, Entry

PROJECTS: Entries = {
    "list_projects": Entry(
        "projects_list",
        "for the campaigns of a project, use `campaigns_list`.",
        use="Most tasks start here: nearly every other tool takes a `project_id`.",
    ),
    "get_project": Entry("projects_get", "the project's results are `projects_health`."),
    "create_project": Entry(
        "projects_create",
        "to group some creators and posts of a project, create a campaign: `campaigns_create`.",
    ),
    "change_project": Entry(
        "projects_update", "creators and campaigns of the project have their own tools."
    ),
    "get_program_health": Entry(
        "projects_health",
        "numbers by day are `analytics_query`, ranks are `leaderboards_creators` and"
        " `leaderboards_videos`.",
        use="Answers in one call: how is it going, and what needs attention?",
        example={"range": "7d"},
        words="problems, wrong, posts gone, deleted, attention, overview, trouble, doing, going,"
        " status, urgent, broken, missing, numbers, today",
    ),
    "get_view_coverage": Entry(
        "projects_coverage",
        "refusing accounts and platforms are in `projects_health`.",
        use="The share of planned checks of views that succeeded, by day.",
        words="reliability, missed, missing, gaps, numbers, complete",
    ),
    "list_anomalies": Entry(
        "anomalies_list",
        "a post's views are in `videos_get`; an anomaly changes no count and no amount.",
        use="For views that look bought or fraudulent, before an amount is approved.",
        example={"reason": "silent_views"},
        words="fake, bots, bought, suspicious, fraud, cheating, inflated, weird, unusual, spike",
    ),
    "get_views_by_day": Entry(
        "projects_views",
        "for one post, creator or campaign, or other counts, use `analytics_query`.",
        use="Daily views of a whole project, with the same number of days before.",
        example={"from": "2026-05-14", "to": "2026-05-20"},
        words="daily, reach, traffic, impressions, eyeballs, total, yesterday",
    ),
    "list_imports": Entry(
        "imports_list",
        "readings of the platforms are no imports; their posts are `videos_list`.",
        words="uploaded, uploads, backfill, old, historical, statistics, past",
    ),
    "retract_import": Entry(
        "imports_retract",
        "to leave out one post, exclude it: `videos_exclude`.",
        use="For a file with wrong numbers, before the corrected one is loaded.",
        takes_away=True,
        words="undo, upload, mistake",
    ),
    "list_campaigns": Entry(
        "campaigns_list",
        "the members of a campaign are `campaign_items_list`.",
        words="launches",
    ),
    "create_project_campaign": Entry(
        "campaigns_create",
        "the same post on several platforms is a content group: `content_groups_create`.",
    ),
    "get_campaign": Entry(
        "campaigns_get", "its numbers over time are `analytics_query` with entity `campaign`."
    ),
    "get_campaign_costs": Entry(
        "campaigns_costs",
        "amounts owed or paid are `payout_accruals_list`; views are `analytics_query`.",
        use="A campaign's costs by creator and day, and per 1,000 views.",
        example={"from": "2026-05-14", "to": "2026-05-20"},
        words="price, CPM, expensive, efficiency, worth, ROI, return, spend, cost, cheap, money,"
        " pay off, rollout",
    ),
    "change_campaign": Entry(
        "campaigns_update",
        "to add or remove members, use `campaign_items_add` or `campaign_items_remove`.",
    ),
    "delete_campaign": Entry(
        "campaigns_delete", "to remove one member, use `campaign_items_remove`."
    ),
    "list_campaign_items": Entry(
        "campaign_items_list",
        "it lists direct members only; posts of member creators count too and are ranked by"
        " `leaderboards_videos` with `campaign_id`.",
        use="For the creators, posts and campaigns in a campaign.",
        words="joined, participants",
    ),
    "add_campaign_item": Entry(
        "campaign_items_add",
        "to label creators across campaigns, use `tags_apply`.",
        words="influencer, clip",
    ),
    "remove_campaign_item": Entry(
        "campaign_items_remove",
        "the creator or video itself stays; to end its tracking see `creators_deactivate` and"
        " `videos_disable_tracking`.",
    ),
    "list_content_groups": Entry(
        "content_groups_list", "for single posts, use `videos_list`, also with `content_group_id`."
    ),
    "create_content_group": Entry(
        "content_groups_create",
        "to group different posts, create a campaign: `campaigns_create`.",
        use="For the same content posted several times, such as on both platforms.",
        words="crosspost, same, reposted, clip",
    ),
    "get_content_group": Entry("content_groups_get", "its sums are `content_groups_stats`."),
    "change_content_group": Entry(
        "content_groups_update", "a single post's own title changes with `videos_update`."
    ),
    "delete_content_group": Entry(
        "content_groups_delete", "to unlink some posts only, use `content_groups_update`."
    ),
    "get_content_group_stats": Entry(
        "content_groups_stats",
        "for numbers over time, use `analytics_query` with the posts as `entity_ids`.",
    ),
    "list_project_inbox": Entry(
        "inbox_list",
        "posts that already count are in `videos_list`.",
        words="moderation, queue, pending, waiting, approval, check, candidates, judge, todo",
    ),
    "review_project_inbox": Entry(
        "inbox_review",
        "to exclude an approved post, use `videos_exclude`.",
        words="accept, reject, moderate, clips",
    ),
    "list_goals": Entry("goals_list", "whether goals are met is `goals_compliance`."),
    "create_goal": Entry(
        "goals_create",
        "to pay for goals, create a payout structure: `payout_structures_create`.",
        words="require, frequency, publish",
    ),
    "change_goal": Entry(
        "goals_update", "for another metric or period, create another goal: `goals_create`."
    ),
    "delete_goal": Entry(
        "goals_delete", "to pause it, set `is_active` to false with `goals_update`."
    ),
    "get_goal_compliance": Entry(
        "goals_compliance",
        "for counts without creators, use `goals_compliance_counts`.",
        words="met, behind, lazy, enough, missed, posted, slacking, promised, deliver, deadline",
    ),
    "count_goal_compliance": Entry(
        "goals_compliance_counts", "results by creator are `goals_compliance`."
    ),
}


CONVERSIONS: Entries = {
    "list_conversion_events": Entry(
        "conversion_events_list",
        "recorded conversions are `conversions_list`; these are their kinds.",
    ),
    "create_conversion_event": Entry(
        "conversion_events_create",
        "to record a conversion, use `conversions_record`.",
        words="sale, signup, purchase, type",
    ),
    "get_conversion_event": Entry(
        "conversion_events_get",
        "its conversions are `conversions_list` with `conversion_event_id`.",
    ),
    "change_conversion_event": Entry(
        "conversion_events_update",
        "recorded conversions do not change; void one with `conversions_void`.",
    ),
    "delete_conversion_event": Entry(
        "conversion_events_delete",
        "`mode=hard` also deletes all its conversions and cannot be undone: only if the user asked"
        " for exactly that.",
    ),
    "list_conversions": Entry(
        "conversions_list",
        "creators' earnings from them are `payout_accruals_list`.",
        use="For sales and sign-ups of a project or creator.",
        words="sales, orders, purchases, revenue, signups, sold, shop, sell",
    ),
    "record_conversions": Entry(
        "conversions_record",
        "create the conversion event first: `conversion_events_create`. Send `external_id`, so"
        " that a repeated conversion counts once.",
        words="sale, order, purchase, signup",
    ),
    "get_conversion": Entry("conversions_get", "to find conversions, use `conversions_list`."),
    "void_conversion": Entry(
        "conversions_void",
        "`mode=hard` deletes it permanently: only if the user asked for exactly that.",
        words="refund, cancel, sale, order",
    ),
}
