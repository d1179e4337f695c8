"""Tools about projects, campaigns, content groups, the inbox, goals and conversions."""

from serving_api.mcp.catalog.entry import Entries, Entry

PROJECTS: Entries = {
    "list_projects": Entry(
        "projects_list",
        "campaigns are parts of a project: `campaigns_list`.",
        use="Where most work begins: nearly every other tool takes a `project_id`.",
    ),
    "get_project": Entry(
        "projects_get",
        "how the project does is told by `projects_health`.",
    ),
    "create_project": Entry(
        "projects_create",
        "an effort within a project, with some of its creators and posts, is a campaign:"
        " `campaigns_create`.",
    ),
    "change_project": Entry(
        "projects_update",
        "creators and campaigns of the project have tools of their own.",
    ),
    "get_program_health": Entry(
        "projects_health",
        "numbers by day are `analytics_query`, ranks are `leaderboards_creators` and"
        " `leaderboards_videos`.",
        use="The one call that answers: how is it going, and what needs attention?",
        example={"range": "7d"},
    ),
    "get_view_coverage": Entry(
        "projects_coverage",
        "which accounts or platforms refuse is told by `projects_health`.",
        use="Which share of the planned checks of views succeeded, by day.",
    ),
    "list_anomalies": Entry(
        "anomalies_list",
        "how many views a post has is in `videos_get`; an anomaly changes no count and no amount.",
        use="For views that look bought or fraudulent, before an amount is approved.",
        example={"reason": "silent_views"},
    ),
    "get_views_by_day": Entry(
        "projects_views",
        "one post, creator or campaign, and any other count, is `analytics_query`.",
        use="How a whole project's views go, beside as many days before.",
        example={"from": "2026-05-14", "to": "2026-05-20"},
    ),
    "list_campaigns": Entry(
        "campaigns_list",
        "who and what is in a campaign is told by `campaign_items_list`.",
    ),
    "create_project_campaign": Entry(
        "campaigns_create",
        "the same post on several platforms is a content group: `content_groups_create`.",
    ),
    "get_campaign": Entry(
        "campaigns_get",
        "its numbers over time are `analytics_query` with entity `campaign`.",
    ),
    "get_campaign_costs": Entry(
        "campaigns_costs",
        "what is owed or paid is `payout_accruals_list`; views alone are `analytics_query`.",
        use="What a campaign costs by creator and day, and what a thousand of its views cost.",
        example={"from": "2026-05-14", "to": "2026-05-20"},
    ),
    "change_campaign": Entry(
        "campaigns_update",
        "members are added with `campaign_items_add` and taken out with `campaign_items_remove`.",
    ),
    "delete_campaign": Entry(
        "campaigns_delete",
        "to take one member out, use `campaign_items_remove`.",
    ),
    "list_campaign_items": Entry(
        "campaign_items_list",
        "these are direct members only; the posts of creators that are in it are counted too and"
        " ranked by `leaderboards_videos` with `campaign_id`.",
        use="For the creators, posts and campaigns in a campaign.",
    ),
    "add_campaign_item": Entry(
        "campaign_items_add",
        "to label creators across campaigns, use `tags_apply`.",
    ),
    "remove_campaign_item": Entry(
        "campaign_items_remove",
        "the creator or video itself stays; to end its tracking see `creators_deactivate` and"
        " `videos_disable_tracking`.",
    ),
    "list_content_groups": Entry(
        "content_groups_list",
        "posts one by one are `videos_list`, also with `content_group_id`.",
    ),
    "create_content_group": Entry(
        "content_groups_create",
        "posts that belong together as an effort are a campaign: `campaigns_create`.",
        use="For one piece of content that was posted several times, such as on both platforms.",
    ),
    "get_content_group": Entry(
        "content_groups_get",
        "its sums are `content_groups_stats`.",
    ),
    "change_content_group": Entry(
        "content_groups_update",
        "a single post's own title changes with `videos_update`.",
    ),
    "delete_content_group": Entry(
        "content_groups_delete",
        "to unlink some posts only, use `content_groups_update`.",
    ),
    "get_content_group_stats": Entry(
        "content_groups_stats",
        "a course over time is `analytics_query` with the posts as `entity_ids`.",
    ),
    "list_project_inbox": Entry(
        "inbox_list",
        "posts that count already are in `videos_list`.",
    ),
    "review_project_inbox": Entry(
        "inbox_review",
        "a post that was approved before is taken out with `videos_exclude`.",
    ),
    "list_goals": Entry(
        "goals_list",
        "whether goals are met is told by `goals_compliance`.",
    ),
    "create_goal": Entry(
        "goals_create",
        "what a creator is paid for goals is a payout structure: `payout_structures_create`.",
    ),
    "change_goal": Entry(
        "goals_update",
        "a target of another metric or period is another goal: `goals_create`.",
    ),
    "delete_goal": Entry(
        "goals_delete",
        "to let it rest, set `is_active` to false with `goals_update`.",
    ),
    "get_goal_compliance": Entry(
        "goals_compliance",
        "numbers alone, not by creator, are `goals_compliance_counts`.",
    ),
    "count_goal_compliance": Entry(
        "goals_compliance_counts",
        "who meets a goal and who does not is `goals_compliance`.",
    ),
}


CONVERSIONS: Entries = {
    "list_conversion_events": Entry(
        "conversion_events_list",
        "what happened is in `conversions_list`; these are the kinds of outcome.",
    ),
    "create_conversion_event": Entry(
        "conversion_events_create",
        "to record that an outcome happened, use `conversions_record`.",
    ),
    "get_conversion_event": Entry(
        "conversion_events_get",
        "the conversions of it are `conversions_list` with `conversion_event_id`.",
    ),
    "change_conversion_event": Entry(
        "conversion_events_update",
        "a conversion that was recorded does not change; void it with `conversions_void`.",
    ),
    "delete_conversion_event": Entry(
        "conversion_events_delete",
        "`mode=hard` also deletes all its conversions and cannot be undone: only where someone"
        " asked for just that.",
    ),
    "list_conversions": Entry(
        "conversions_list",
        "what they earned creators is `payout_accruals_list`.",
        use="For sales and sign-ups of a project or creator.",
    ),
    "record_conversions": Entry(
        "conversions_record",
        "the kind of outcome has to exist: `conversion_events_create`. Send `external_id`, so"
        " that recording twice counts once.",
    ),
    "get_conversion": Entry(
        "conversions_get",
        "to find conversions, use `conversions_list`.",
    ),
    "void_conversion": Entry(
        "conversions_void",
        "`mode=hard` deletes it for good: only where someone asked for just that.",
    ),
}
