"""Tools that answer with numbers: time series, ranks, annotations and tables."""

from serving_api.mcp.catalog.entry import Entries, Entry

ANALYTICS: Entries = {
    "get_analytics": Entry(
        "analytics_query",
        "who gained most is `leaderboards_creators` or `leaderboards_videos`; how a project does"
        " in all is `projects_health`; money is `payout_accruals_list`.",
        use="For counts and rates by day, week or month. Days are days of the organization's"
        " zone; a value that is not known is null, never 0.",
        example={
            "entity_id": "01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e",
            "granularity": "week",
            "from": "2026-04-22",
            "to": "2026-05-20",
        },
    ),
    "get_analytics_schema": Entry(
        "analytics_schema",
        "metrics and their values are in the arguments of `analytics_query` already.",
    ),
    "get_forecast": Entry(
        "analytics_forecast",
        "what was gained already is `analytics_query`.",
        use="Tell `views` and `payouts` with their intervals; where `shown` is false, the baseline,"
        " and why.",
        example={"entity": "creator", "entity_id": "01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e"},
    ),
    "list_annotations": Entry(
        "annotations_list",
        "free text about a creator or campaign is `notes_get`.",
    ),
    "create_annotation": Entry(
        "annotations_create",
        "what belongs to no instant is a note: `notes_write`.",
    ),
    "change_annotation": Entry(
        "annotations_update",
        "automatic annotations cannot be changed.",
    ),
    "delete_annotation": Entry(
        "annotations_delete",
        "automatic annotations cannot be deleted; leave them out with `hide_auto` in"
        " `analytics_query`.",
    ),
    "get_video_leaderboard": Entry(
        "leaderboards_videos",
        "a course over time is `analytics_query`; a list without ranks `videos_list`.",
    ),
    "get_creator_leaderboard": Entry(
        "leaderboards_creators",
        "a course over time is `analytics_query`; a list without ranks `creators_list`.",
    ),
    "export_analytics": Entry(
        "exports_analytics",
        "to answer a question, use `analytics_query`; a table is for handing on.",
        example={"entity_id": "01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e"},
    ),
    "export_dataset": Entry(
        "exports_dataset",
        "to answer a question, use the tool that lists or ranks these things; whole tables are"
        " better fetched by a program over REST.",
        example={"dataset": "creators", "limit": 100},
    ),
}
