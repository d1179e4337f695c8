"""Fetches through Bright Data end in a report, whether it answers at once or collects for a while.

Its server is a local one that answers in the shapes that Bright Data documents. What every provider
of runs does is held in test_apify.py.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import SecretStr

from scrapers.outcomes import Outcome
from scrapers.paid.brightdata import BrightDataInstagram, BrightDataTikTok
from scrapers.paid.run_provider import RunProvider
from scrapers.paid.runs import RunClient
from scrapers.registry import PAID
from scrapers.snapshots import AccountTarget, PostTarget
from scrapers.transport.pacing import Pace
from scrapers.urls.any_platform import post_url, profile_url
from tests.fixtures.paid import PaidServer, Said
from tests.scrapers.conftest import POST

pytestmark = pytest.mark.usefixtures("without_backoff")

NOW = datetime(2026, 9, 8, 12, tzinfo=UTC)
SINCE = NOW - timedelta(days=3000)
KEY = "bd-invented-key-0123456789"
DIALECTS = {dialect.platform: dialect for dialect in (BrightDataTikTok(), BrightDataInstagram())}
SCRAPE, TRIGGER = "/datasets/v3/scrape", "/datasets/v3/trigger"
PROGRESS, SNAPSHOT = "/datasets/v3/progress/s_1", "/datasets/v3/snapshot/s_1"
CANCEL = f"{SNAPSHOT}/cancel"
STARTED = {"snapshot_id": "s_1"}
READY = {"snapshot_id": "s_1", "dataset_id": "gd_1", "status": "ready"}
DATASETS = {
    "tiktok": ("gd_l1villgoiiidt09ci", "gd_lu702nij2f790tmv9h", "profile_url"),
    "instagram": ("gd_l1vikfch901nx3by4", "gd_lk5ns7kz21pck8jpis", "url"),
}


@pytest.fixture
def server(
    server: PaidServer, platform: str, fake_time: Any, closing: Callable[[Any], Any]
) -> PaidServer:
    client = RunClient(
        PAID["brightdata"],
        platform,
        key=SecretStr(KEY),
        budget=server.purse,
        base_url=server.base_url,
        pace=Pace(4, 10_000.0),
        sleep=fake_time.sleep,
    )
    server.provider = closing(RunProvider(DIALECTS[platform], client, clock=lambda: NOW))
    return server


@pytest.fixture
def posts(payload: Callable[[str], Any], platform: str) -> Any:
    return payload(f"brightdata/{platform}_posts.json")


@pytest.fixture
def profile(payload: Callable[[str], Any], platform: str) -> Any:
    return payload(f"brightdata/{platform}_profile.json")


@pytest.mark.parametrize("alone", [True, False])
async def test_a_profile_at_once(
    server: PaidServer, profile: Any, known: AccountTarget, *, alone: bool
) -> None:
    server.routes = {SCRAPE: profile[0] if alone else [profile]}
    report = await server.provider.profile(known)
    account = report.account
    assert (report.outcome, report.source) == (Outcome.OK, f"brightdata.{known.platform}_profile")
    expected = {"tiktok": (4_100_000, 2017, 34_500_000), "instagram": (25_116, 71, None)}
    counts = (account.follower_count, account.video_count, account.total_likes_count)
    assert counts == expected[known.platform]
    assert (account.observed_handle, account.is_exact) == ("demo.creator", False)
    assert account.bio_link == "https://example.org/demo"
    [request] = server.asked
    assert request.body == [{"url": profile_url(known.platform, "demo.creator")}]
    assert request.params["dataset_id"] == DATASETS[known.platform][0]
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert (server.purse.reserved, server.purse.settled) == ([1], [1])


async def test_one_that_takes_longer_than_a_minute_is_followed(
    server: PaidServer, profile: Any, known: AccountTarget, fake_time: Any
) -> None:
    server.routes = {
        SCRAPE: Said(202, STARTED | {"message": "still running"}),
        PROGRESS: [{"status": "running"}, {"status": "digesting"}, READY],
        SNAPSHOT: [Said(202, {"status": "building", "message": "try again in 10s"}), profile],
    }
    assert (await server.provider.profile(known)).outcome is Outcome.OK
    assert fake_time.slept == [10.0] * 3


async def test_posts_are_collected_by_the_profile_s_url(
    server: PaidServer, posts: Any, known: AccountTarget, platform: str
) -> None:
    server.routes = {TRIGGER: STARTED, PROGRESS: READY, SNAPSHOT: [posts]}
    report = await server.provider.discover(known, since=SINCE, known=())
    assert (report.outcome, report.reached_known, len(report.videos)) == (Outcome.OK, True, 3)
    video = next(v for v in report.videos if v.platform_video_id == POST[platform])
    counts = (
        video.view_count,
        video.like_count,
        video.comment_count,
        video.share_count,
        video.save_count,
        video.duration_seconds,
    )
    assert (
        counts
        == {
            "tiktok": (141_600, 18_700, 152, 237, 274, 89),
            "instagram": (35_499, 387, 12, None, None, 77),
        }[platform]
    )
    assert video.posted_at == datetime.fromtimestamp(1_788_800_000, UTC)
    assert (video.handle, video.source) == ("demo.creator", f"brightdata.{platform}_posts")
    last = report.videos[-1]
    expected = {"tiktok": ("photo", None), "instagram": ("carousel", None)}[platform]
    assert (last.media_type, last.share_count) == expected
    start = server.asked[0]
    assert start.body == [{"num_of_posts": 20, "url": profile_url(platform, "demo.creator")}]
    _, dataset, by = DATASETS[platform]
    assert start.params == {
        "dataset_id": dataset,
        "format": "json",
        "include_errors": "true",
        "type": "discover_new",
        "discover_by": by,
    }
    assert (server.purse.reserved, server.purse.settled) == ([20], [3])


async def test_many_posts_in_one_request_each_with_its_own_ending(
    server: PaidServer, posts: Any, post: PostTarget
) -> None:
    ids = [POST[post.platform], "3970000000000000011", "3970000000000000012"]
    urls = [post_url(post.platform, post_id, "demo.creator") for post_id in ids]
    gone = {"input": {"url": urls[1]}, "error": "4XX page - dead page.", "error_code": "dead_page"}
    odd = {"input": {"url": urls[2]}, "error": "Wrong date.", "error_code": "dead_page"}
    server.routes = {SCRAPE: [[odd, *posts[1:], gone, posts[0]]]}
    reports = await server.provider.counters(
        [replace(post, platform_video_id=post_id) for post_id in ids]
    )
    assert [report.outcome for report in reports] == [
        Outcome.OK,
        Outcome.POST_UNAVAILABLE,
        Outcome.SCHEMA_CHANGED,
    ]
    assert "Wrong date." in str(reports[2].detail)
    assert [entry["url"] for entry in server.asked[0].body] == urls
    assert (server.purse.reserved, server.purse.settled) == ([3], [3])


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        ("4XX page - dead page.", Outcome.NOT_FOUND),
        ("Page not found", Outcome.NOT_FOUND),
        ("User is banned", Outcome.BANNED),
        ("This account is private", Outcome.PRIVATE),
        ("Rate limited", Outcome.BLOCKED_SILENT),
        ("Something else", Outcome.SCHEMA_CHANGED),
    ],
)
async def test_records_that_are_errors_are_named_by_their_words(
    server: PaidServer, known: AccountTarget, error: str, outcome: Outcome
) -> None:
    record = {"error": error, "error_code": "dead_page", "input": {"url": "https://x.example"}}
    server.routes = {SCRAPE: [[record]], TRIGGER: STARTED, PROGRESS: READY, SNAPSHOT: [[record]]}
    profile = await server.provider.profile(known)
    posts = await server.provider.discover(known, since=SINCE, known=())
    assert (profile.outcome, posts.outcome) == (outcome, outcome)
    assert (profile.account, posts.videos) == (None, ())


async def test_an_account_without_posts_has_none(
    server: PaidServer, profile: Any, known: AccountTarget
) -> None:
    none = {"error": "There are no public posts in the profile.", "error_code": "dead_page"}
    empty = profile[0] | {"videos_count": 0, "posts_count": 0}
    server.routes = {TRIGGER: STARTED, PROGRESS: READY, SNAPSHOT: [[none]], SCRAPE: [[empty]]}
    report = await server.provider.discover(known, since=SINCE, known=())
    assert (report.outcome, report.videos, report.reached_known) == (Outcome.OK, (), True)
    server.routes[SCRAPE] = [profile]
    report = await server.provider.discover(known, since=SINCE, known=())
    assert (report.outcome, report.videos) == (Outcome.BLOCKED_SILENT, ())


@pytest.mark.parametrize(
    ("progress", "outcome", "says"),
    [
        ({"status": "failed", "error_message": "so"}, Outcome.UNREACHABLE, "failed: so"),
        ({"status": "failed", "error_message": "Account is suspended"}, "budget_spent", "billing"),
        ({"status": "failed", "error_message": "No data found in discovery"}, "blocked_silent", ""),
        ({"status": "canceled"}, Outcome.UNREACHABLE, "was canceled"),
        ({"status": "odd"}, Outcome.SCHEMA_CHANGED, "'odd'"),
        ({}, Outcome.SCHEMA_CHANGED, "''"),
    ],
)
async def test_collections_that_end_badly_are_named(
    server: PaidServer, known: AccountTarget, progress: Any, outcome: str, says: str
) -> None:
    server.routes = {
        TRIGGER: STARTED,
        PROGRESS: progress,
        SNAPSHOT: Said(400, {"error": "Snapshot is empty"}),
    }
    report = await server.provider.discover(known, since=SINCE, known=())
    assert (report.outcome, says in report.detail) == (outcome, True)


async def test_one_that_never_ends_is_called_off_and_what_it_found_kept(
    server: PaidServer, posts: Any, known: AccountTarget
) -> None:
    server.routes = {
        TRIGGER: STARTED,
        PROGRESS: {"status": "running"},
        CANCEL: "OK",
        SNAPSHOT: [posts],
    }
    report = await server.provider.discover(known, since=SINCE, known=())
    assert (report.outcome, report.reached_known) == (Outcome.UNREACHABLE, False)
    assert (len(report.videos), server.paths.count(CANCEL)) == (3, 1)


@pytest.mark.parametrize(
    ("answer", "outcome", "says"),
    [
        (Said(401, "Invalid token"), Outcome.LOGIN_REQUIRED, "TRACKER_BRIGHTDATA_API_KEY"),
        (Said(402, "no"), Outcome.BUDGET_SPENT, "no balance"),
        (Said(403, "no"), Outcome.LOGIN_REQUIRED, "TRACKER_BRIGHTDATA_API_KEY"),
        (Said(404, "dataset does not exist"), Outcome.SCHEMA_CHANGED, "404"),
        (Said(400, {"validation_errors": ["url is bad"]}), Outcome.SCHEMA_CHANGED, "url is bad"),
        (Said(429, "too many", {"Retry-After": "0"}), Outcome.RATE_LIMITED, "429"),
        (Said(500, "Internal server error"), Outcome.UNREACHABLE, "500"),
        (Said(200, '[{"account": "demo'), Outcome.SCHEMA_CHANGED, "cut off"),
        (Said(200, "[]"), Outcome.BLOCKED_SILENT, "found nothing"),
    ],
)
async def test_its_refusals_are_named(
    server: PaidServer, known: AccountTarget, answer: Said, outcome: Outcome, says: str
) -> None:
    server.routes = {SCRAPE: answer}
    report = await server.provider.profile(known)
    assert (report.outcome, report.account) == (outcome, None)
    assert says in report.detail


async def test_another_account_or_post_is_not_taken(
    server: PaidServer, profile: Any, posts: Any, known: AccountTarget, post: Any
) -> None:
    server.routes = {SCRAPE: [profile], TRIGGER: STARTED, PROGRESS: READY, SNAPSHOT: [posts]}
    somebody = replace(known, handle="somebody.else", platform_user_id="5")
    report = await server.provider.profile(somebody)
    assert (report.outcome, report.account) == (Outcome.SCHEMA_CHANGED, None)
    listed = await server.provider.discover(somebody, since=SINCE, known=())
    assert (listed.outcome, listed.videos) == (Outcome.SCHEMA_CHANGED, ())
    server.routes[SCRAPE] = [posts[2:]]
    reading = await server.provider.post(post)
    assert (reading.outcome, reading.videos) == (Outcome.SCHEMA_CHANGED, ())


@pytest.mark.parametrize("answer", [Said(401, f"no {KEY}"), Said(200, KEY), Said(500, KEY)])
async def test_the_key_shows_nowhere(
    server: PaidServer, known: AccountTarget, answer: Said, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.routes = {SCRAPE: answer}
    report = await server.provider.profile(known)
    assert KEY not in repr(report)
    assert KEY not in caplog.text
