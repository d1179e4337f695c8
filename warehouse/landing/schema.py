"""Columns of a landed batch (what a scrape saw) and of a registered one (whose it is).

A landed batch knows platforms and handles; registration turns it into rows keyed by the
registry's video_id and account_id, one for each project that tracks the post. Both are folders
of Parquet files, named here.
"""

from datetime import UTC as UTC_ZONE
from datetime import datetime

import polars as pl

UTC = pl.Datetime("us", "UTC")

PROFILES = pl.Schema(
    {
        "platform": pl.String(),
        "handle": pl.String(),
        "observed_handle": pl.String(),
        "platform_user_id": pl.String(),
        "platform_alt_id": pl.String(),
        "display_name": pl.String(),
        "biography": pl.String(),
        "bio_link": pl.String(),
        "avatar_url": pl.String(),
        "is_private": pl.Boolean(),
        "is_verified": pl.Boolean(),
        "follower_count": pl.Int64(),
        "following_count": pl.Int64(),
        "total_likes_count": pl.Int64(),
        "video_count": pl.Int64(),
        "is_exact": pl.Boolean(),
        "source": pl.String(),
        "captured_at": UTC,
    }
)
"""`profiles.parquet`: one row a profile reading (`scrapers.snapshots.AccountSnapshot`)."""

POSTS = pl.Schema(
    {
        "platform": pl.String(),
        "platform_video_id": pl.String(),
        "platform_user_id": pl.String(),
        "handle": pl.String(),
        "url": pl.String(),
        "caption": pl.String(),
        "media_type": pl.String(),
        "duration_seconds": pl.Int64(),
        "thumbnail_url": pl.String(),
        "posted_at": UTC,
        "posted_at_is_estimate": pl.Boolean(),
        "view_count": pl.Int64(),
        "like_count": pl.Int64(),
        "comment_count": pl.Int64(),
        "share_count": pl.Int64(),
        "save_count": pl.Int64(),
        "is_exact": pl.Boolean(),
        "source": pl.String(),
        "captured_at": UTC,
    }
)
"""`posts.parquet`: one row a post reading (`scrapers.snapshots.VideoSnapshot`)."""

OUTCOMES = pl.Schema(
    {
        "job_id": pl.String(),
        "job_type": pl.String(),
        "platform": pl.String(),
        "handle": pl.String(),
        "platform_video_id": pl.String(),
        "outcome": pl.String(),
        "detail": pl.String(),
        "http_status": pl.Int64(),
        "raw_sample": pl.String(),
        "source": pl.String(),
        "videos_seen": pl.Int64(),
        "reached_known": pl.Boolean(),
        "started_at": UTC,
        "finished_at": UTC,
    }
)
"""`outcomes.parquet`: one row a look, whatever its ending. `job_id` where a job asked for it;
`job_type` is `creator_profiles`, `discover_videos` or `video_stats`."""

COMMENTS = pl.Schema(
    {
        "platform": pl.String(),
        "platform_video_id": pl.String(),
        "platform_comment_id": pl.String(),
        "text": pl.String(),
        "like_count": pl.Int64(),
        "reply_count": pl.Int64(),
        "author_unique_id": pl.String(),
        "author_nickname": pl.String(),
        "posted_at": UTC,
        "source": pl.String(),
        "captured_at": UTC,
    }
)
"""`comments.parquet`: one row a comment that a walk showed."""

COMMENT_WALKS = pl.Schema(
    {
        "platform": pl.String(),
        "platform_video_id": pl.String(),
        "outcome": pl.String(),
        "detail": pl.String(),
        "http_status": pl.Int64(),
        "raw_sample": pl.String(),
        "is_complete": pl.Boolean(),
        "platform_comment_count": pl.Int64(),
        "collected_count": pl.Int64(),
        "source": pl.String(),
        "started_at": UTC,
        "finished_at": UTC,
        "video_ids": pl.List(pl.String()),
    }
)
"""`comment_walks.parquet`: one row a walk through a post's comments, whatever its ending.
`video_ids` are the registry rows for whose sake it was made: not all that track a post may, or
want to, have its comments collected."""

VIDEO_SNAPSHOTS = pl.Schema(
    {
        "video_id": pl.String(),
        "captured_at": UTC,
        "view_count": pl.Int64(),
        "like_count": pl.Int64(),
        "comment_count": pl.Int64(),
        "share_count": pl.Int64(),
        "save_count": pl.Int64(),
        "is_exact": pl.Boolean(),
        "source": pl.String(),
    }
)
"""Registered `video_snapshots.parquet`, the columns of raw.video_snapshots."""

ACCOUNT_SNAPSHOTS = pl.Schema(
    {
        "account_id": pl.String(),
        "captured_at": UTC,
        "follower_count": pl.Int64(),
        "following_count": pl.Int64(),
        "total_likes_count": pl.Int64(),
        "video_count": pl.Int64(),
        "is_exact": pl.Boolean(),
        "source": pl.String(),
    }
)
"""Registered `account_snapshots.parquet`, the columns of raw.account_snapshots."""

SCRAPE_OUTCOMES = pl.Schema(
    {
        "account_id": pl.String(),
        "video_id": pl.String(),
        "job_type": pl.String(),
        "outcome": pl.String(),
        "detail": pl.String(),
        "http_status": pl.Int64(),
        "source": pl.String(),
        "videos_seen": pl.Int64(),
        "reached_known": pl.Boolean(),
        "started_at": UTC,
        "finished_at": UTC,
    }
)
"""Registered `scrape_outcomes.parquet`, the columns of raw.scrape_outcomes."""

REGISTERED_COMMENTS = pl.Schema(
    {"video_id": pl.String()} | {name: COMMENTS[name] for name in list(COMMENTS)[2:]}
)
"""Registered `comments.parquet`, the columns of raw.comments."""

REGISTERED_COMMENT_WALKS = pl.Schema(
    {"video_id": pl.String()}
    | {name: dtype for name, dtype in list(COMMENT_WALKS.items())[2:-1] if name != "raw_sample"}
)
"""Registered `comment_walks.parquet`, the columns of raw.comment_walks."""

LANDED = {
    "profiles": PROFILES,
    "posts": POSTS,
    "outcomes": OUTCOMES,
    "comments": COMMENTS,
    "comment_walks": COMMENT_WALKS,
}
REGISTERED = {
    "video_snapshots": VIDEO_SNAPSHOTS,
    "account_snapshots": ACCOUNT_SNAPSHOTS,
    "scrape_outcomes": SCRAPE_OUTCOMES,
    "comments": REGISTERED_COMMENTS,
    "comment_walks": REGISTERED_COMMENT_WALKS,
}

REQUIRED = {
    "profiles": ("platform", "handle", "observed_handle", "is_exact", "source", "captured_at"),
    "posts": (
        "platform",
        "platform_video_id",
        "url",
        "posted_at_is_estimate",
        "is_exact",
        "source",
        "captured_at",
    ),
    "outcomes": (
        "job_type",
        "platform",
        "outcome",
        "reached_known",
        "started_at",
        "finished_at",
    ),
    "comments": (
        "platform",
        "platform_video_id",
        "platform_comment_id",
        "text",
        "source",
        "captured_at",
    ),
    "comment_walks": (
        "platform",
        "platform_video_id",
        "outcome",
        "is_complete",
        "collected_count",
        "started_at",
        "finished_at",
        "video_ids",
    ),
}
"""Columns of a landed batch that are never null."""

FIRST_INSTANT = datetime(2000, 1, 1, tzinfo=UTC_ZONE)
LAST_INSTANT = datetime(2100, 1, 1, tzinfo=UTC_ZONE)
"""What the warehouse's calendar covers (half-open): an instant outside is no observation."""
