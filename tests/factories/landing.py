"""Rows of landed batches with default values."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def profile(handle: str, **changes: Any) -> dict[str, Any]:
    """Return a profile reading of `handle` with 100 followers."""
    row = {
        "platform": "tiktok",
        "handle": handle,
        "observed_handle": handle,
        "platform_user_id": f"id-of-{handle}",
        "follower_count": 100,
        "is_exact": True,
        "source": "page",
        "captured_at": NOON,
    }
    return {**row, **changes}


def post(video_id: str, handle: str | None = None, **changes: Any) -> dict[str, Any]:
    """Return a reading of a post by `handle`, published at noon, with 10 views."""
    row = {
        "platform": "tiktok",
        "platform_video_id": video_id,
        "platform_user_id": handle and f"id-of-{handle}",
        "handle": handle,
        "url": f"https://www.tiktok.com/@{handle or ''}/video/{video_id}",
        "posted_at": NOON,
        "posted_at_is_estimate": False,
        "view_count": 10,
        "is_exact": True,
        "source": "page",
        "captured_at": NOON,
    }
    return {**row, **changes}


def fetch(handle: str | None = None, **changes: Any) -> dict[str, Any]:
    """Return a fetch outcome, by default a discovery of `handle` that reached known posts."""
    row = {
        "job_type": "discover_videos",
        "platform": "tiktok",
        "handle": handle,
        "outcome": "ok",
        "source": "page",
        "reached_known": True,
        "started_at": NOON,
        "finished_at": NOON,
    }
    return {**row, **changes}


def comment(video_id: str, number: int = 1, **changes: Any) -> dict[str, Any]:
    """Return a comment under a post, written at noon, with 2 likes."""
    row = {
        "platform": "tiktok",
        "platform_video_id": video_id,
        "platform_comment_id": f"{video_id}-{number}",
        "text": f"comment {number}",
        "like_count": 2,
        "reply_count": 0,
        "author_unique_id": "viewer",
        "author_nickname": "A viewer",
        "posted_at": NOON,
        "source": "page",
        "captured_at": NOON,
    }
    return {**row, **changes}


def comment_crawl(video_id: str, *takers: UUID, **changes: Any) -> dict[str, Any]:
    """Return a complete comment crawl of a post for these registry rows."""
    row = {
        "platform": "tiktok",
        "platform_video_id": video_id,
        "outcome": "ok",
        "is_complete": True,
        "platform_comment_count": 9,
        "collected_count": 1,
        "source": "page",
        "started_at": NOON,
        "finished_at": NOON,
        "video_ids": [str(taker) for taker in takers],
    }
    return {**row, **changes}
