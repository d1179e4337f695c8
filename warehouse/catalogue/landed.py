"""The Parquet files of a landed batch, which name platforms and handles.

Registration turns them into rows of raw tables with the registry's video_id and account_id.
"""

from warehouse.catalogue.counters import ACCOUNT_COUNTERS, VIDEO_COUNTERS, counts
from warehouse.catalogue.table import Change, Column, Table, never_null

PROFILES = Table(
    schema="landing",
    name="profiles",
    means="One row for each profile reading (`scrapers.snapshots.AccountSnapshot`).",
    change=Change.ADDED,
    columns=(
        never_null("platform", "varchar"),
        never_null("handle", "varchar", "as requested"),
        never_null("observed_handle", "varchar"),
        Column("platform_user_id", "varchar"),
        Column("platform_alt_id", "varchar"),
        Column("display_name", "varchar"),
        Column("biography", "varchar"),
        Column("bio_link", "varchar"),
        Column("avatar_url", "varchar"),
        Column("is_private", "boolean"),
        Column("is_verified", "boolean"),
        *counts(ACCOUNT_COUNTERS),
        never_null("is_exact", "boolean"),
        never_null("source", "varchar"),
        never_null("captured_at", "timestamptz"),
    ),
)

POSTS = Table(
    schema="landing",
    name="posts",
    means="One row for each post reading (`scrapers.snapshots.VideoSnapshot`).",
    change=Change.ADDED,
    columns=(
        never_null("platform", "varchar"),
        never_null("platform_video_id", "varchar"),
        Column("platform_user_id", "varchar"),
        Column("handle", "varchar"),
        never_null("url", "varchar"),
        Column("caption", "varchar"),
        Column("media_type", "varchar"),
        Column("duration_seconds", "bigint"),
        Column("thumbnail_url", "varchar"),
        Column("posted_at", "timestamptz"),
        never_null("posted_at_is_estimate", "boolean"),
        *counts(VIDEO_COUNTERS),
        never_null("is_exact", "boolean"),
        never_null("source", "varchar"),
        never_null("captured_at", "timestamptz"),
    ),
)

OUTCOMES = Table(
    schema="landing",
    name="outcomes",
    means="One row for each fetch, whatever its outcome.",
    change=Change.ADDED,
    columns=(
        Column("job_id", "varchar", "null without a job"),
        never_null("job_type", "varchar", "creator_profiles, discover_videos or video_stats"),
        never_null("platform", "varchar"),
        Column("handle", "varchar"),
        Column(
            "platform_user_id",
            "varchar",
            "of a fetched account, as known then; null: of a post, or unknown",
            came_later=True,
        ),
        Column("platform_video_id", "varchar"),
        never_null("outcome", "varchar"),
        Column("detail", "varchar"),
        Column("http_status", "bigint"),
        Column("raw_sample", "varchar"),
        Column("source", "varchar"),
        Column("videos_seen", "bigint"),
        never_null("reached_known", "boolean"),
        Column(
            "searched_from",
            "timestamptz",
            "from when on a discovery that reached known posts shows all; null: unknown",
            came_later=True,
        ),
        never_null("started_at", "timestamptz"),
        never_null("finished_at", "timestamptz"),
    ),
)

COMMENTS = Table(
    schema="landing",
    name="comments",
    means="One row for each comment that a crawl showed.",
    change=Change.ADDED,
    columns=(
        never_null("platform", "varchar"),
        never_null("platform_video_id", "varchar"),
        never_null("platform_comment_id", "varchar"),
        never_null("text", "varchar"),
        Column("like_count", "bigint"),
        Column("reply_count", "bigint"),
        Column("author_unique_id", "varchar"),
        Column("author_nickname", "varchar"),
        Column("posted_at", "timestamptz"),
        never_null("source", "varchar"),
        never_null("captured_at", "timestamptz"),
    ),
)

COMMENT_WALKS = Table(
    schema="landing",
    name="comment_walks",
    means="One row for each comment crawl of a post, whatever its outcome.",
    change=Change.ADDED,
    columns=(
        never_null("platform", "varchar"),
        never_null("platform_video_id", "varchar"),
        never_null("outcome", "varchar"),
        Column("detail", "varchar"),
        Column("http_status", "bigint"),
        Column("raw_sample", "varchar"),
        never_null("is_complete", "boolean"),
        Column("platform_comment_count", "bigint"),
        never_null("collected_count", "bigint"),
        Column("source", "varchar"),
        never_null("started_at", "timestamptz"),
        never_null("finished_at", "timestamptz"),
        never_null(
            "video_ids",
            "varchar[]",
            "the registry rows that collect comments of the post; others that track it may be"
            " excluded by plan or choice",
        ),
    ),
)

LISTINGS = Table(
    schema="landing",
    name="listings",
    means="Progress of a listing of all of an account's posts that takes several pages.",
    change=Change.ADDED,
    columns=(
        never_null("platform", "varchar"),
        never_null("handle", "varchar", "as requested"),
        Column("platform_user_id", "varchar", "as known then"),
        never_null("began_at", "timestamptz", "when its first page was requested"),
        never_null("pages", "bigint", "read so far"),
        Column("provider", "varchar", "of the cursor"),
        Column("cursor", "varchar", "of the next page; null: the listing is complete"),
        never_null("reached_known", "boolean", "reached the start of tracking"),
    ),
)

LANDED = (PROFILES, POSTS, OUTCOMES, COMMENTS, COMMENT_WALKS, LISTINGS)
