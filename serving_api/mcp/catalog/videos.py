"""Tools for videos and their comments, time series, rankings, annotations and tables."""

from serving_api.mcp.catalog.entry import Entries, Entry

VIDEOS: Entries = {
    "list_videos": Entry(
        "videos_list",
        "for the best of a period, use `leaderboards_videos`; for posts to review, `inbox_list`.",
        words="newest",
    ),
    "get_video": Entry(
        "videos_get",
        "its counts over time are `analytics_query` with entity `video`.",
        words="likes, caption",
    ),
    "change_video": Entry(
        "videos_update", "captions and counts come from the platform and cannot be set."
    ),
    "exclude_video": Entry(
        "videos_exclude",
        "to stop scraping and keep what it counts, use `videos_disable_tracking`.",
        words="ignore, disqualify, leave out, clip",
    ),
    "add_project_videos": Entry(
        "videos_add",
        "posts of tracked accounts are found automatically; this is for single posts by URL.",
        goes_out=True,
        words="link, paste",
    ),
    "scrape_video": Entry(
        "videos_scrape",
        "scrapes run on a schedule; request one only if numbers must be fresh now.",
        goes_out=True,
        words="refresh, latest, fresh, sync, now, reload",
    ),
    "disable_tracking": Entry(
        "videos_disable_tracking",
        "to remove it from totals and payouts too, use `videos_exclude`.",
        takes_away=True,
    ),
    "enable_tracking": Entry(
        "videos_enable_tracking",
        "to include an excluded video again, set `tracking_status` with `videos_update`.",
    ),
    "unexempt_from_limit": Entry(
        "videos_unexempt",
        "to stop scraping a video now, use `videos_disable_tracking`.",
        takes_away=True,
    ),
    "disable_tracking_of_many": Entry(
        "videos_disable_tracking_many",
        "for a single video, use `videos_disable_tracking`.",
        takes_away=True,
    ),
    "enable_tracking_of_many": Entry(
        "videos_enable_tracking_many", "for a single video, use `videos_enable_tracking`."
    ),
}


COMMENTS: Entries = {
    "list_video_comments": Entry(
        "video_comments_list",
        "comments across posts are `project_comments_list`; their number is in `videos_get`.",
    ),
    "list_project_comments": Entry(
        "project_comments_list",
        "for totals use `comment_signals_get`; for comments to review `comment_flags_get`.",
        words="saying, think, questions, ask",
    ),
    "handle_project_comments": Entry(
        "project_comments_handle", "the handled comments are in `project_comments_list`."
    ),
    "get_comment_signals": Entry(
        "comment_signals_get",
        "the comments themselves are `project_comments_list`.",
        use="For the sentiment of comments by creator and over time.",
        words="mood, feelings, opinion, feel, think, thoughts, love, liked, happy, angry",
    ),
    "get_comment_flags": Entry(
        "comment_flags_get",
        "all comments are `project_comments_list`.",
        words="hate, toxic, abusive, insults, spam, brand safety, concerns, offensive, swearing",
    ),
    "get_comment_settings": Entry(
        "comment_settings_get", "the comments themselves are `project_comments_list`."
    ),
    "change_comment_settings": Entry(
        "comment_settings_update", "to search once, use `q` of `project_comments_list`."
    ),
}


ANALYTICS: Entries = {
    "get_analytics": Entry(
        "analytics_query",
        "for rankings use `leaderboards_creators` or `leaderboards_videos`; for money"
        " `payout_accruals_list`. The API's contract has no projects here: their views by day are"
        " `projects_views`, their state `projects_health`.",
        use="For counts and rates by day, week or month. Days are in the organization's time"
        " zone; an unknown value is null, never 0.",
        example={
            "entity_id": "01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e",
            "granularity": "week",
            "from": "2026-04-22",
            "to": "2026-05-20",
        },
        words="chart, trend, graph, growth, average, performance, reach, development,"
        " evolution, quarter",
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
        words="predict, expect, future, next, projection, will, estimate, tomorrow, end, upcoming",
    ),
    "list_annotations": Entry(
        "annotations_list", "free text about a creator or campaign is `notes_get`."
    ),
    "create_annotation": Entry(
        "annotations_create",
        "text without a date is a note: `notes_write`.",
        words="mark",
    ),
    "change_annotation": Entry("annotations_update", "automatic annotations cannot be changed."),
    "delete_annotation": Entry(
        "annotations_delete",
        "automatic annotations cannot be deleted; hide them with `hide_auto` in `analytics_query`.",
    ),
    "get_video_leaderboard": Entry(
        "leaderboards_videos",
        "for numbers over time use `analytics_query`; for a list without ranks `videos_list`.",
        words="top, best, viral, clips, reels, popular, hits, posts, hottest, flop, worst",
    ),
    "get_creator_leaderboard": Entry(
        "leaderboards_creators",
        "for numbers over time use `analytics_query`; for a list without ranks `creators_list`.",
        words="performers, worst, champion, rank, fastest, growth",
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
        words="Excel",
    ),
}
