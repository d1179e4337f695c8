"""The documented example of a custom provider, built from its settings."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from scrapers.outcomes import Outcome
from scrapers.provider import Provider
from scrapers.registry import build_provider
from scrapers.snapshots import AccountTarget, PostTarget
from scrapers.transport.pacing import Pace

READ_AT = datetime(2026, 9, 8, 6, tzinfo=UTC)
POSTED_AT = datetime(2026, 9, 7, 16, 53, 20, tzinfo=UTC)
CREATOR = AccountTarget(platform="tiktok", handle="demo.creator")


def account(**fields: Any) -> dict[str, Any]:
    seen = {"kind": "account", "id": "687", "handle": "demo.creator", "followers": 1203417}
    return {**seen, "read_at": READ_AT.isoformat(), **fields}


def post(**fields: Any) -> dict[str, Any]:
    seen = {"kind": "post", "id": "768", "handle": "demo.creator", "views": 88041, "likes": 9102}
    times = {"read_at": READ_AT.isoformat(), "posted_at": POSTED_AT.isoformat()}
    return {**seen, **times, **fields}


@pytest.fixture
def export(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    path = tmp_path / "tiktok.jsonl"
    monkeypatch.setenv("TIKTOK_EXPORT", str(path))

    def write(*lines: Any) -> None:
        path.write_text("\n".join(json.dumps(line) for line in lines) + "\n", encoding="utf-8")

    return write


Export = Callable[..., None]


@pytest.fixture
def provider(export: Export, closing: Callable[[Any], Any]) -> Provider:
    built: Provider = closing(
        build_provider(
            "tiktok",
            provider="tests.scrapers.example_provider:ExportProvider",
            base_url="https://www.tiktok.com",
            pace=Pace(1, 1.0),
            clock=lambda: READ_AT,
        )
    )
    return built


async def test_an_account_is_its_last_line(export: Export, provider: Provider) -> None:
    export(account(followers=5), account(id="1", handle="someone.else"), account())
    report = await provider.profile(CREATOR)
    assert (report.account.follower_count, report.account.captured_at) == (1203417, READ_AT)
    assert report.account.following_count is None


async def test_recent_and_known_posts_are_discovered(export: Export, provider: Provider) -> None:
    old = (POSTED_AT - timedelta(days=90)).isoformat()
    export(
        account(),
        post(views=1),
        post(),
        post(id="2", posted_at=old),
        post(id="3", posted_at=old, views=None),
        post(id="4", handle="someone.else"),
    )
    report = await provider.discover(CREATOR, since=READ_AT - timedelta(days=30), known={"3"})
    assert (report.outcome, report.reached_known) == (Outcome.OK, True)
    counts = [(video.platform_video_id, video.view_count) for video in report.videos]
    assert counts == [("768", 88041), ("3", None)]


async def test_one_post(export: Export, provider: Provider) -> None:
    export(post())
    report = await provider.post(PostTarget(platform="tiktok", platform_video_id="768"))
    assert [(video.like_count, video.posted_at) for video in report.videos] == [(9102, POSTED_AT)]
    missing = await provider.post(PostTarget(platform="tiktok", platform_video_id="9"))
    assert (missing.outcome, missing.videos) == (Outcome.POST_UNAVAILABLE, ())


async def test_errors_are_outcomes(export: Export, provider: Provider) -> None:
    assert (await provider.profile(CREATOR)).outcome is Outcome.UNREACHABLE
    export(post())
    assert (await provider.profile(CREATOR)).outcome is Outcome.NOT_FOUND
    export(account(), post(views=-1))
    report = await provider.discover(CREATOR, since=READ_AT, known=())
    assert report.outcome is Outcome.SCHEMA_CHANGED
    assert report.detail == "line 2 of the export is no reading"
    assert '"views": -1' in str(report.raw_sample)
