"""Tools about videos: whether they are tracked, and what people write below them."""

from serving_api.mcp.catalog.entry import Entries, Entry

VIDEOS: Entries = {
    "list_videos": Entry(
        "videos_list",
        "the best ones of a time are `leaderboards_videos`; those that await review `inbox_list`.",
    ),
    "get_video": Entry(
        "videos_get",
        "its counts over time are `analytics_query` with entity `video`.",
    ),
    "change_video": Entry(
        "videos_update",
        "captions and counts come from the platform and cannot be set.",
    ),
    "exclude_video": Entry(
        "videos_exclude",
        "to stop scraping and keep what it counts, use `videos_disable_tracking`.",
    ),
    "add_project_videos": Entry(
        "videos_add",
        "posts of tracked accounts are found by themselves; this is for single posts by URL.",
        goes_out=True,
    ),
    "scrape_video": Entry(
        "videos_scrape",
        "scrapes run on a schedule by themselves; ask only for what must be fresh now.",
        goes_out=True,
    ),
    "disable_tracking": Entry(
        "videos_disable_tracking",
        "to take it out of totals and payouts too, use `videos_exclude`.",
        takes_away=True,
    ),
    "enable_tracking": Entry(
        "videos_enable_tracking",
        "an excluded video comes back with `videos_update` and a `tracking_status`.",
    ),
    "unexempt_from_limit": Entry(
        "videos_unexempt",
        "to stop scraping a video now, use `videos_disable_tracking`.",
        takes_away=True,
    ),
    "disable_tracking_of_many": Entry(
        "videos_disable_tracking_many",
        "a single one is as well stopped with `videos_disable_tracking`.",
        takes_away=True,
    ),
    "enable_tracking_of_many": Entry(
        "videos_enable_tracking_many",
        "a single one is as well started with `videos_enable_tracking`.",
    ),
}


COMMENTS: Entries = {
    "list_video_comments": Entry(
        "video_comments_list",
        "comments across posts are `project_comments_list`; how many there are is in `videos_get`.",
    ),
    "list_project_comments": Entry(
        "project_comments_list",
        "for sums use `comment_signals_get`; for what needs a look `comment_flags_get`.",
    ),
    "handle_project_comments": Entry(
        "project_comments_handle",
        "which comments are handled is told by `project_comments_list`.",
    ),
    "get_comment_signals": Entry(
        "comment_signals_get",
        "the comments themselves are `project_comments_list`.",
        use="For the sentiment of comments by creator and over time.",
    ),
    "get_comment_flags": Entry(
        "comment_flags_get",
        "all comments are `project_comments_list`.",
    ),
    "get_comment_settings": Entry(
        "comment_settings_get",
        "the comments themselves are `project_comments_list`.",
    ),
    "change_comment_settings": Entry(
        "comment_settings_update",
        "to search once, use `q` of `project_comments_list`.",
    ),
}
