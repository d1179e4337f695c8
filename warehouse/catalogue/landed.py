"""What a scrape saw, as it lands: the Parquet files of a batch, which know platforms and handles.

Registration turns them into rows of raw tables, keyed by the registry's video_id and account_id.
"""

from warehouse.catalogue.counters import ACCOUNT_COUNTERS, VIDEO_COUNTERS, counts
from warehouse.catalogue.table import Change, Column, Table, never_null

PROFILES = Table(
    schema="landing",
    name="profiles",
    means="One row a profile reading (`scrapers.snapshots.AccountSnapshot`).",
    change=Change.ADDED,
    columns=(
        never_null("platform", "varchar"),
        never_null("handle", "varchar", "the one that was asked for"),
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
    means="One row a post reading (`scrapers.snapshots.VideoSnapshot`).",
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
    means="One row a look, whatever its ending.",
    change=Change.ADDED,
    columns=(
        Column("job_id", "varchar", "where a job asked for it"),
        never_null("job_type", "varchar", "creator_profiles, discover_videos or video_stats"),
        never_null("platform", "varchar"),
        Column("handle", "varchar"),
        Column("platform_video_id", "varchar"),
        never_null("outcome", "varchar"),
        Column("detail", "varchar"),
        Column("http_status", "bigint"),
        Column("raw_sample", "varchar"),
        Column("source", "varchar"),
        Column("videos_seen", "bigint"),
        never_null("reached_known", "boolean"),
        never_null("started_at", "timestamptz"),
        never_null("finished_at", "timestamptz"),
    ),
)

COMMENTS = Table(
    schema="landing",
    name="comments",
    means="One row a comment that a walk showed.",
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
    means="One row a walk through a post's comments, whatever its ending.",
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
            "the registry rows for whose sake it was made: not all that track a post may, or want"
            " to, have its comments collected",
        ),
    ),
)

LISTINGS = Table(
    schema="landing",
    name="listings",
    means="How far a listing of all of an account's posts had come, where it takes several pages.",
    change=Change.ADDED,
    columns=(
        never_null("platform", "varchar"),
        never_null("handle", "varchar", "the one that was asked for"),
        Column("platform_user_id", "varchar", "the one that was known by then"),
        never_null("began_at", "timestamptz", "when its first page was asked for"),
        never_null("pages", "bigint", "that were read in a row"),
        Column("provider", "varchar", "whose cursor it is"),
        Column("cursor", "varchar", "where it goes on; null: it is at its end"),
        never_null("reached_known", "boolean", "that is the start of tracking"),
    ),
)

LANDED = (PROFILES, POSTS, OUTCOMES, COMMENTS, COMMENT_WALKS, LISTINGS)
