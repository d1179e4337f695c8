"""Analytics tools: time series, rankings, annotations and tables."""

from serving_api.mcp.catalog.entry import Entries, Entry

ANALYTICS: Entries = {
    "get_analytics": Entry(
        "analytics_query",
        "for rankings use `leaderboards_creators` or `leaderboards_videos`; for the state of a"
        " project `projects_health`; for money `payout_accruals_list`.",
        use="For counts and rates by day, week or month. Days are in the organization's time"
        " zone; an unknown value is null, never 0.",
        example={
            "entity_id": "01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e",
            "granularity": "week",
            "from": "2026-04-22",
            "to": "2026-05-20",
        },
    ),
    "get_analytics_schema": Entry(
        "analytics_schema",
        "metrics and their values are already in the arguments of `analytics_query`.",
    ),
    "get_forecast": Entry(
        "analytics_forecast",
        "past numbers are `analytics_query`.",
        use="Report `views` and `payouts` with their intervals; if `shown` is false, the baseline"
        " and the reason.",
        example={"entity": "creator", "entity_id": "01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e"},
    ),
    "list_annotations": Entry(
        "annotations_list", "free text about a creator or campaign is `notes_get`."
    ),
    "create_annotation": Entry(
        "annotations_create", "text without a date is a note: `notes_write`."
    ),
    "change_annotation": Entry("annotations_update", "automatic annotations cannot be changed."),
    "delete_annotation": Entry(
        "annotations_delete",
        "automatic annotations cannot be deleted; hide them with `hide_auto` in `analytics_query`.",
    ),
    "get_video_leaderboard": Entry(
        "leaderboards_videos",
        "for numbers over time use `analytics_query`; for a list without ranks `videos_list`.",
    ),
    "get_creator_leaderboard": Entry(
        "leaderboards_creators",
        "for numbers over time use `analytics_query`; for a list without ranks `creators_list`.",
    ),
    "export_analytics": Entry(
        "exports_analytics",
        "to answer a question, use `analytics_query`; a table is for passing on.",
        example={"entity_id": "01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e"},
    ),
    "export_dataset": Entry(
        "exports_dataset",
        "to answer a question, use the tool that lists or ranks these items; programs should fetch"
        " whole tables over REST.",
        example={"dataset": "creators", "limit": 100},
    ),
}
