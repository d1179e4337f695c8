"""Tools about what people write below posts."""

from serving_api.mcp.catalog.entry import Entries, Entry

COMMENTS: Entries = {
    "list_video_comments": Entry(
        "video_comments_list",
        "comments across posts are `project_comments_list`; how many there are is in `videos_get`.",
    ),
    "list_project_comments": Entry(
        "project_comments_list",
        "for sums use `comment_signals_get`; for what needs a look `comment_flags_get`.",
    ),
    "get_comment_signals": Entry(
        "comment_signals_get",
        "the comments themselves are `project_comments_list`.",
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
