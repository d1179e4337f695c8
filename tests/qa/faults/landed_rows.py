"""Random batches and imports as scrapers and people bring them: late, partial, odd."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
from sqlalchemy import select

from orchestration.scraping.spelling import PlatformSpelling
from tests.factories.landing import comment, comment_crawl, fetch, post, profile
from tests.fixtures.api import Tenant
from tests.qa.faults.write_bodies import HANDLES, LINKED, PLATFORMS
from warehouse.imports import layouts
from warehouse.imports.snapshots import import_snapshots
from warehouse.imports.videos import import_videos
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.models import Account, Video
from warehouse.settings import Settings

POSTS = tuple(f"{who}00{which}" for who in range(1, 5) for which in range(6))
OUTCOMES = ("ok", "ok", "ok", "rate_limited", "post_unavailable", "schema_changed")
LATE = (timedelta(), timedelta(), timedelta(hours=5), timedelta(hours=40), timedelta(days=20))
"""The age of a batch's readings when it lands."""
COUNTERS = ("view_count", "like_count", "comment_count", "share_count", "save_count")

Row = dict[str, Any]


def land(settings: Settings, tenant: Tenant, now: datetime, chance: Random) -> None:
    """Land one to three batches; the last to land may be the oldest."""
    for _ in range(chance.randint(1, 3)):
        at = now - chance.choice(LATE)
        platform = chance.choice(PLATFORMS)
        comments, comment_crawls = _comments(tenant, at, chance)
        LandingWriter(open_landing(settings)).land(
            posts=list(_posts(platform, at, chance)),
            profiles=[
                profile(
                    handle,
                    platform=platform,
                    observed_handle=chance.choice((handle, handle, chance.choice(HANDLES))),
                    captured_at=at,
                    follower_count=_count(chance),
                )
                for handle in HANDLES
            ],
            outcomes=list(_fetches(platform, at, chance)),
            comments=comments,
            comment_walks=comment_crawls,
        )


def import_history(settings: Settings, tenant: Tenant, now: datetime, chance: Random) -> None:
    """Import posts, then readings of posts and accounts, into the first project."""
    store, project_id = tenant.api.store, tenant.project_id
    folder = settings.home_path / "imported"
    folder.mkdir(exist_ok=True)
    accounts = _rows(tenant, Account)
    rows_by_layout = {
        layouts.VIDEOS: [
            {
                "platform": account.platform,
                "handle": account.handle,
                "platform_video_id": f"9{which}",
                "posted_at": now - timedelta(days=which),
                "caption": "An old post",
            }
            for account in accounts
            for which in range(2)
            if account.platform == "tiktok"
        ],
        layouts.VIDEO_SNAPSHOTS: [
            {
                "platform": row.platform,
                "platform_video_id": row.platform_video_id,
                "captured_at": now - timedelta(days=chance.randrange(1, 400)),
                **{counter: _count(chance) for counter in COUNTERS},
            }
            for row in _rows(tenant, Video)
        ],
        layouts.ACCOUNT_SNAPSHOTS: [
            {
                "platform": account.platform,
                "handle": account.handle,
                "captured_at": now - timedelta(days=chance.randrange(1, 400)),
                "follower_count": _count(chance),
                "following_count": None,
                "total_likes_count": _count(chance),
                "video_count": None,
            }
            for account in accounts
        ],
    }
    for kind, rows in rows_by_layout.items():
        if rows:
            path = folder / f"{kind}.csv"
            _write_csv(path, rows)
            how: Any = {
                "project_id": project_id,
                "spelling": PlatformSpelling(),
                "skip_bad": True,
                "on_rows": lambda _rows: None,
            }
            if kind == layouts.VIDEOS:
                import_videos(store, settings, path, **how)
            else:
                import_snapshots(store, settings, path, kind=kind, on_wait=pytest.fail, **how)


def _write_csv(path: Path, rows: Sequence[Row]) -> None:
    texts = [
        {
            key: value.isoformat() if isinstance(value, datetime) else value
            for key, value in row.items()
        }
        for row in rows
    ]
    pl.DataFrame(texts, infer_schema_length=None).write_csv(path)


def _posts(platform: str, at: datetime, chance: Random) -> Iterable[Row]:
    for number in (*POSTS, *LINKED):
        if chance.random() < 0.3:
            continue
        handle = HANDLES[(int(number[0]) + (chance.random() < 0.05)) % 4]
        posted_at = at - timedelta(hours=30 * int(number[-1]) + chance.randrange(60))
        yield post(
            number,
            chance.choice((handle, handle, None)) if number in LINKED else handle,
            platform=platform,
            captured_at=at + timedelta(seconds=chance.choice((0, 0, 1, 700))),
            posted_at=chance.choice((posted_at, posted_at, None)),
            is_exact=chance.random() < 0.7,
            source=chance.choice(("page", "api")),
            **{counter: _count(chance) for counter in COUNTERS},
        )


def _count(chance: Random) -> int | None:
    return chance.choice(
        (None, chance.randrange(50), chance.randrange(5_000), 12_300, 10**6, 10**12)
    )


def _fetches(platform: str, at: datetime, chance: Random) -> Iterable[Row]:
    times = {"started_at": at, "finished_at": at + timedelta(seconds=30), "platform": platform}
    for handle in HANDLES:
        for job_type in ("discover_videos", "creator_profiles"):
            yield fetch(handle, job_type=job_type, outcome=chance.choice(OUTCOMES), **times)
    for number in (*LINKED, *POSTS[:3]):
        author = chance.choice((None, HANDLES[int(number[0]) % 4]))
        yield fetch(
            author,
            job_type="video_stats",
            platform_video_id=number,
            outcome=chance.choice(OUTCOMES),
            **times,
        )


def _comments(tenant: Tenant, at: datetime, chance: Random) -> tuple[list[Row], list[Row]]:
    """Return comments under some posts and their crawls, some of them incomplete."""
    videos = _rows(tenant, Video)
    comments: list[Row] = []
    comment_crawls: list[Row] = []
    for video in chance.sample(videos, min(4, len(videos))):
        place = {"platform": video.platform}
        numbers = chance.sample(range(5), 3)
        comments += [
            comment(
                video.platform_video_id,
                number,
                text=chance.choice(("hello", "", "love it")),
                posted_at=chance.choice((at, None, at - timedelta(days=3), at + timedelta(days=2))),
                captured_at=at,
                **place,
            )
            for number in numbers
        ]
        comment_crawls.append(
            comment_crawl(
                video.platform_video_id,
                video.id,
                is_complete=chance.random() < 0.4,
                started_at=at - timedelta(seconds=60),
                finished_at=at + timedelta(seconds=60),
                **place,
            )
        )
    return comments, comment_crawls


def _rows(tenant: Tenant, kind: type[Any]) -> list[Any]:
    statement = select(kind).where(kind.project_id == tenant.project_id).order_by(kind.id)
    with tenant.api.store.read_session() as session:
        return list(session.scalars(statement))
