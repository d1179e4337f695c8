"""Fetches through Apify end in a report, however its runs end; what was paid for is kept.

Its server is a local one that answers in the shapes that Apify and its programs document.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from socket import socket
from typing import Any

import pytest
from pydantic import SecretStr

from scrapers.outcomes import Outcome
from scrapers.paid.apify import ApifyInstagram, ApifyTikTok
from scrapers.paid.run_provider import RunProvider
from scrapers.paid.runs import OLDEST_RUN, RunClient
from scrapers.provider import CommentProvider, CountersProvider, ListProvider
from scrapers.registry import PAID, Account, build_provider
from scrapers.snapshots import AccountTarget, PostTarget
from scrapers.transport.answer import Answer
from scrapers.transport.client import HttpClient
from scrapers.transport.pacing import Pace
from scrapers.urls.any_platform import post_url
from scrapers.when_landed import gathering
from tests.fixtures.paid import PaidServer, Purse, Said
from tests.scrapers.conftest import POST, USER

pytestmark = pytest.mark.usefixtures("without_backoff")

NOW = datetime(2026, 9, 8, 12, tzinfo=UTC)
SINCE = NOW - timedelta(days=900)
TOKEN = "apify_api_invented0123456789"
DIALECTS = {dialect.platform: dialect for dialect in (ApifyTikTok(), ApifyInstagram())}
RUNS = PAID["apify"].runs
assert RUNS is not None
FOLLOWED, ABORTED = "/v2/actor-runs/run1", "/v2/actor-runs/run1/abort"
ITEMS = "/v2/datasets/set1/items"

Payload = Callable[[str], Any]


def run(status: str, **fields: Any) -> dict[str, Any]:
    return {"data": {"id": "run1", "status": status, "defaultDatasetId": "set1", **fields}}


@pytest.fixture
def server(
    server: PaidServer, platform: str, fake_time: Any, closing: Callable[[Any], Any]
) -> PaidServer:
    client = RunClient(
        PAID["apify"],
        platform,
        key=SecretStr(TOKEN),
        budget=server.purse,
        base_url=server.base_url,
        pace=Pace(4, 10_000.0),
        sleep=fake_time.sleep,
        now=fake_time.now,
    )
    server.provider = closing(RunProvider(DIALECTS[platform], client, clock=lambda: NOW))
    return server


@pytest.fixture
def paths(platform: str) -> dict[str, str]:
    return {name: route.path for name, route in PAID["apify"].of(platform).items()}


@pytest.fixture
def collects(server: PaidServer, paths: dict[str, str]) -> Callable[..., None]:
    """Let every run be done at once and find these items, or lists of items in turn."""

    def set_items(*items: Any, status: str = "SUCCEEDED", **fields: Any) -> None:
        server.routes = {path: Said(201, run("READY")) for path in paths.values()}
        server.routes |= {
            FOLLOWED: run(status, **fields),
            ITEMS: list(items),
            ABORTED: run("ABORTING"),
        }

    return set_items


@pytest.fixture
def posts(payload: Payload, platform: str) -> Any:
    return payload(f"apify/{platform}_posts.json")


@pytest.fixture
def profile(payload: Payload, platform: str, posts: Any) -> Any:
    return posts[1:2] if platform == "tiktok" else payload("apify/instagram_profile.json")


def started(server: PaidServer) -> list[Any]:
    return [
        request.body
        for request in server.asked
        if request.body is not None and "abort" not in request.path
    ]


async def test_it_reads_all_but_comments_and_many_posts_at_once(
    platform: str, server: PaidServer, closing: Callable[[Any], Any]
) -> None:
    built = closing(
        build_provider(
            platform,
            provider="apify",
            base_url=server.base_url,
            pace=Pace(4, 10_000.0),
            clock=lambda: NOW,
            account=Account(key=SecretStr(TOKEN), budget=Purse()),
        )
    )
    assert (built.platform, built.name) == (platform, "apify")
    assert isinstance(built, ListProvider)
    assert isinstance(built, CountersProvider)
    assert not isinstance(built, CommentProvider)


async def test_a_profile(
    server: PaidServer, collects: Any, profile: Any, new: AccountTarget
) -> None:
    collects(profile, usageTotalUsd=0.0026)
    report = await server.provider.profile(new)
    assert (report.outcome, report.detail) == (Outcome.OK, None)
    account = report.account
    expected = {"tiktok": (4_100_000, 2017, False), "instagram": (25_116, 71, True)}
    assert (account.follower_count, account.video_count, account.is_exact) == expected[new.platform]
    assert (account.platform_user_id, account.captured_at) == (USER[new.platform], NOW)
    assert account.source == report.source == f"apify.{new.platform}_profile"
    assert account.observed_handle == "demo.creator"
    assert server.purse.settled == [26]


async def test_the_run_is_the_documented_one_with_the_token_in_a_header(
    server: PaidServer, collects: Any, posts: Any, known: AccountTarget
) -> None:
    collects(posts)
    await server.provider.discover(known, since=SINCE, known=())
    start, follow, collect = server.asked
    inputs = {
        "tiktok": {"profiles": ["demo.creator"], "resultsPerPage": 20, "profileSorting": "latest"},
        "instagram": {
            "directUrls": ["https://www.instagram.com/demo.creator/"],
            "resultsLimit": 20,
            "resultsType": "posts",
            "addParentData": False,
        },
    }
    assert start.body == inputs[known.platform]
    assert start.params == {
        "maxTotalChargeUsd": {"tiktok": "0.06", "instagram": "0.054"}[known.platform]
    }
    assert follow.params == {"waitForFinish": "10"}
    assert (collect.params["format"], "omit" in collect.params) == ("json", True)
    for request in server.asked:
        assert request.headers["Authorization"] == f"Bearer {TOKEN}"


class TestDiscover:
    async def test_all_counters_are_read(
        self, server: PaidServer, collects: Any, posts: Any, known: AccountTarget
    ) -> None:
        collects(posts)
        report = await server.provider.discover(known, since=SINCE, known=())
        assert (report.outcome, report.reached_known) == (Outcome.OK, True)
        videos = {v.platform_video_id: v for v in report.videos}
        video = videos[POST[known.platform]]
        counts = (
            video.view_count,
            video.like_count,
            video.comment_count,
            video.share_count,
            video.save_count,
        )
        expected = {
            "tiktok": ((141_600, 18_700, 152, 237, 274), 89, False),
            "instagram": ((35_499, 387, 12, None, None), 77, True),
        }
        assert (counts, video.duration_seconds, video.is_exact) == expected[known.platform]
        assert video.posted_at == datetime.fromtimestamp(1_788_800_000, UTC)
        assert video.posted_at_is_estimate is False
        assert video.platform_user_id == USER[known.platform]
        assert {v.source for v in report.videos} == {f"apify.{known.platform}_posts"}

    @pytest.mark.parametrize("platform", ["instagram"], indirect=True)
    async def test_likes_that_are_hidden_and_views_that_are_not_told_stay_unknown(
        self, server: PaidServer, collects: Any, posts: Any, known: AccountTarget
    ) -> None:
        collects(posts)
        report = await server.provider.discover(known, since=SINCE, known=())
        _, hidden, carousel = report.videos
        assert (hidden.like_count, hidden.view_count) == (None, 4651)
        assert (carousel.view_count, carousel.media_type) == (None, "carousel")

    async def test_a_full_list_is_asked_for_more_until_it_reaches_known_posts(
        self, server: PaidServer, collects: Any, posts: Any, known: AccountTarget
    ) -> None:
        collects(many(posts, 20), many(posts, 60))
        report = await server.provider.discover(known, since=SINCE, known=())
        assert (report.outcome, report.reached_known, len(report.videos)) == (Outcome.OK, True, 60)
        assert [limit(body) for body in started(server)] == [20, 200]

    async def test_one_new_post_before_known_ones_costs_one_run(
        self, server: PaidServer, collects: Any, posts: Any, known: AccountTarget
    ) -> None:
        listed = many(posts, 20)
        collects(listed)
        ids = {post["id"] for post in listed[1:]}
        report = await server.provider.discover(known, since=SINCE, known=ids)
        assert (report.reached_known, len(report.videos)) == (True, 20)
        assert len(started(server)) == 1

    async def test_a_list_of_the_last_depth_is_all_there_is_and_names_its_limit(
        self, server: PaidServer, collects: Any, posts: Any, known: AccountTarget
    ) -> None:
        collects(many(posts, 20), many(posts, 200), many(posts, 1000))
        report = await server.provider.discover(known, since=SINCE, known=())
        assert (report.outcome, report.reached_known, len(report.videos)) == (
            Outcome.OK,
            True,
            1000,
        )
        assert report.detail == "apify lists the newest 1000 posts; older ones are missing"

    async def test_a_list_that_ends_before_the_profile_s_count_is_asked_for_more(
        self, server: PaidServer, collects: Any, posts: Any, known: AccountTarget
    ) -> None:
        collects(many(posts, 15), many(posts, 60))
        report = await server.provider.discover(
            replace(known, video_count=60), since=SINCE, known=()
        )
        assert (report.reached_known, len(report.videos), report.detail) == (True, 60, None)
        assert [limit(body) for body in started(server)] == [20, 200]

    async def test_posts_that_no_depth_shows_are_told_and_not_paid_for_again(
        self, server: PaidServer, collects: Any, posts: Any, known: AccountTarget
    ) -> None:
        collects(many(posts, 15))
        report = await server.provider.discover(
            replace(known, video_count=60), since=SINCE, known=()
        )
        assert (report.outcome, report.reached_known, len(report.videos)) == (Outcome.OK, True, 15)
        assert report.detail == "apify lists 15 posts; the profile has 60"
        assert [limit(body) for body in started(server)] == [20, 200, 1000]

    async def test_other_accounts_posts_are_not_taken(
        self, server: PaidServer, collects: Any, posts: Any, new: AccountTarget
    ) -> None:
        collects(posts)
        somebody = replace(new, handle="somebody.else")
        report = await server.provider.discover(somebody, since=SINCE, known=())
        assert (report.outcome, report.videos) == (Outcome.SCHEMA_CHANGED, ())

    async def test_an_empty_list_of_an_account_with_posts_is_a_refusal(
        self, server: PaidServer, collects: Any, profile: Any, known: AccountTarget
    ) -> None:
        collects([{"error": "no_items", "errorDescription": "Empty or private data"}], profile)
        report = await server.provider.discover(known, since=SINCE, known=())
        assert (report.outcome, report.videos) == (Outcome.BLOCKED_SILENT, ())
        assert report.account is not None

    async def test_an_error_beside_posts_leaves_a_gap_and_one_that_is_gone_does_not(
        self, server: PaidServer, collects: Any, posts: Any, known: AccountTarget, platform: str
    ) -> None:
        gone = {"url": url_of(platform, "3970000000000000011"), "error": "not_found"}
        collects([*posts, gone])
        report = await server.provider.discover(known, since=SINCE, known=())
        assert (report.outcome, report.reached_known) == (Outcome.OK, True)
        collects([*posts, gone | {"error": "something new"}])
        report = await server.provider.discover(known, since=SINCE, known=())
        assert (report.outcome, report.reached_known) == (Outcome.SCHEMA_CHANGED, False)
        assert "something new" in report.detail
        assert len(report.videos) == len(posts) - (platform == "tiktok")


class TestItemsThatAreErrors:
    @pytest.mark.parametrize(
        ("item", "of_account", "of_post"),
        [
            ({"errorCode": "POST_NOT_FOUND_OR_PRIVATE"}, "not_found", "post_unavailable"),
            ({"error": "not_found", "errorDescription": "gone"}, "not_found", "post_unavailable"),
            ({"errorCode": "PROFILE_PRIVATE"}, "private", "private"),
            ({"errorCode": "POST_SENSITIVE"}, "gated", "gated"),
            ({"error": "Restricted profile", "isRestrictedProfile": True}, "gated", "gated"),
            ({"error": "no_items"}, "blocked_silent", "blocked_silent"),
            ({"error": "UNHEARD_OF"}, "schema_changed", "schema_changed"),
        ],
    )
    async def test_are_named(  # noqa: PLR0917  fixtures and the case
        self,
        server: PaidServer,
        collects: Any,
        new: AccountTarget,
        post: PostTarget,
        item: Any,
        of_account: str,
        of_post: str,
    ) -> None:
        collects([item])
        account, report = await server.provider.profile(new), await server.provider.post(post)
        assert (account.outcome, report.outcome) == (of_account, of_post)
        assert (account.account, report.videos) == (None, ())

    async def test_nothing_at_all_is_no_answer(
        self, server: PaidServer, collects: Any, new: AccountTarget, post: PostTarget
    ) -> None:
        collects([])
        account, report = await server.provider.profile(new), await server.provider.post(post)
        assert (account.outcome, report.outcome) == (Outcome.BLOCKED_SILENT, Outcome.BLOCKED_SILENT)

    async def test_another_account_s_profile_is_not_taken(
        self, server: PaidServer, collects: Any, profile: Any, new: AccountTarget
    ) -> None:
        collects(profile)
        report = await server.provider.profile(replace(new, handle="somebody.else"))
        assert (report.outcome, report.account) == (Outcome.SCHEMA_CHANGED, None)
        report = await server.provider.profile(replace(new, platform_user_id="5"))
        assert (report.outcome, report.account) == (Outcome.NOT_FOUND, None)


class TestPosts:
    async def test_one(
        self, server: PaidServer, collects: Any, posts: Any, post: PostTarget
    ) -> None:
        collects(posts[:2])
        report = await server.provider.post(post)
        [video] = report.videos
        assert (report.outcome, video.platform_video_id) == (Outcome.OK, POST[post.platform])
        [body] = started(server)
        assert url_of(post.platform, POST[post.platform]) in str(body)

    async def test_another_under_the_asked_id_is_not_taken(
        self, server: PaidServer, collects: Any, posts: Any, post: PostTarget
    ) -> None:
        collects(posts[2:])
        report = await server.provider.post(post)
        assert (report.outcome, report.videos) == (Outcome.SCHEMA_CHANGED, ())

    async def test_many_in_one_run_each_with_its_own_ending(
        self, server: PaidServer, collects: Any, posts: Any, post: PostTarget
    ) -> None:
        ids = [posts[0]["id"], "3970000000000000011", "3970000000000000012", posts[1]["id"]]
        gone = {"url": url_of(post.platform, ids[1]), "error": "not_found"}
        collects([posts[1], gone, posts[0], posts[2] | {"id": None}])
        targets = [replace(post, platform_video_id=video_id) for video_id in ids]
        reports = await server.provider.counters(targets)
        assert [report.outcome for report in reports] == [
            Outcome.OK,
            Outcome.POST_UNAVAILABLE,
            Outcome.SCHEMA_CHANGED,
            Outcome.OK,
        ]
        assert [v.platform_video_id for report in reports for v in report.videos] == [
            ids[0],
            ids[3],
        ]
        assert len(started(server)) == 1
        assert (server.purse.reserved, server.purse.authorized) == (
            {"tiktok": [10 + 4 * 37], "instagram": [4 * 27]}[post.platform],
            [0],
        )

    async def test_a_run_that_is_refused_is_so_for_each(
        self, server: PaidServer, paths: Any, post: PostTarget
    ) -> None:
        server.routes = {paths["post"]: Said(402, {"error": {"type": "no", "message": "spent"}})}
        reports = await server.provider.counters([post, post])
        assert [report.outcome for report in reports] == [Outcome.BUDGET_SPENT] * 2


class TestRuns:
    async def test_one_is_followed_until_it_ends(
        self, server: PaidServer, collects: Any, profile: Any, new: AccountTarget, fake_time: Any
    ) -> None:
        collects(profile)
        server.routes[FOLLOWED] = [run("READY"), run("RUNNING"), run("SUCCEEDED")]
        assert (await server.provider.profile(new)).outcome is Outcome.OK
        assert server.paths.count(FOLLOWED) == 3
        assert [slept for slept in fake_time.slept if slept > 1] == [5.0, 5.0]

    async def test_one_that_never_ends_is_called_off_and_what_it_found_kept(
        self, server: PaidServer, collects: Any, posts: Any, known: AccountTarget
    ) -> None:
        collects(posts, status="RUNNING")
        report = await server.provider.discover(known, since=SINCE, known=())
        assert (report.outcome, report.reached_known) == (Outcome.UNREACHABLE, False)
        assert "had not ended after 40 checks and was stopped" in report.detail
        assert server.paths.count(FOLLOWED) == RUNS.polls
        assert server.paths.count(ABORTED) == 1
        assert POST[known.platform] in {v.platform_video_id for v in report.videos}

    @pytest.mark.parametrize(
        ("status", "outcome", "says"),
        [
            ("FAILED", Outcome.UNREACHABLE, "the Actor failed (FAILED: so it is)"),
            ("TIMED-OUT", Outcome.UNREACHABLE, "timed out"),
            ("ABORTED", Outcome.BUDGET_SPENT, "has a price in apify.toml risen?"),
            ("UNHEARD-OF", Outcome.SCHEMA_CHANGED, "'UNHEARD-OF'"),
        ],
    )
    async def test_one_that_ends_badly_is_named_and_what_it_found_kept(  # noqa: PLR0917  fixtures and the case
        self,
        server: PaidServer,
        collects: Any,
        posts: Any,
        known: AccountTarget,
        post: PostTarget,
        status: str,
        outcome: Outcome,
        says: str,
    ) -> None:
        collects(posts, status=status, statusMessage="so it is")
        report = await server.provider.discover(known, since=SINCE, known=())
        assert (report.outcome, report.reached_known) == (outcome, False)
        assert says in report.detail
        assert POST[known.platform] in {v.platform_video_id for v in report.videos}
        reading = await server.provider.post(post)
        assert (reading.outcome, len(reading.videos)) == (Outcome.OK, 1)
        missing = await server.provider.post(replace(post, platform_video_id="3970000000000000011"))
        assert (missing.outcome, missing.videos) == (outcome, ())

    async def test_one_that_ends_badly_without_a_dataset_is_named_by_its_end(
        self, server: PaidServer, collects: Any, new: AccountTarget
    ) -> None:
        collects([], status="FAILED")
        server.routes[ITEMS] = Said(404, {"error": {"message": "no dataset"}})
        report = await server.provider.profile(new)
        assert (report.outcome, "FAILED" in report.detail) == (Outcome.UNREACHABLE, True)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("answer", "outcome"),
        [
            (Said(200, '[{"id": "768283747'), Outcome.SCHEMA_CHANGED),
            (Said(200, "[{}]", cut_at=2), Outcome.UNREACHABLE),
            (Said(200, {"data": 1}), Outcome.SCHEMA_CHANGED),
            (Said(500), Outcome.UNREACHABLE),
        ],
    )
    async def test_a_dataset_cut_in_half_is_no_reading(
        self,
        server: PaidServer,
        collects: Any,
        known: AccountTarget,
        answer: Said,
        outcome: Outcome,
    ) -> None:
        collects([])
        server.routes[ITEMS] = answer
        report = await server.provider.discover(known, since=SINCE, known=())
        assert (report.outcome, report.videos) == (outcome, ())
        assert server.purse.settled == []  # what it cost is not known: all that was reserved

    async def test_a_dataset_with_fewer_items_than_it_says_leaves_a_gap(
        self, server: PaidServer, collects: Any, posts: Any, known: AccountTarget
    ) -> None:
        collects(posts)
        server.routes[ITEMS] = Said(200, posts, {"X-Apify-Pagination-Total": "5"})
        report = await server.provider.discover(known, since=SINCE, known=())
        assert (report.outcome, report.reached_known) == (Outcome.SCHEMA_CHANGED, False)
        assert "only 3 of 5 items were returned" in report.detail
        assert POST[known.platform] in {v.platform_video_id for v in report.videos}


class TestARunIsPaidForOnce:
    @pytest.mark.parametrize("answer", [Said(429, {}, {"Retry-After": "0"}), Said(503)])
    async def test_a_provider_that_is_busy_is_polled_again(
        self, server: PaidServer, collects: Any, posts: Any, known: AccountTarget, answer: Said
    ) -> None:
        collects(posts)
        server.routes[FOLLOWED] = [*[answer] * 4, run("SUCCEEDED")]
        server.routes[ITEMS] = [*[answer] * 4, posts]
        report = await server.provider.discover(known, since=SINCE, known=())
        assert report.outcome is Outcome.OK
        assert len(started(server)) == 1

    async def test_a_pause_within_bounds_is_waited_for(
        self, server: PaidServer, collects: Any, posts: Any, known: AccountTarget
    ) -> None:
        collects(posts)
        server.routes[FOLLOWED] = [Said(429, {}, {"Retry-After": "300"}), run("SUCCEEDED")]
        report = await server.provider.discover(known, since=SINCE, known=())
        assert report.outcome is Outcome.OK
        assert len(started(server)) == 1

    async def test_the_next_fetch_follows_the_run_that_a_longer_pause_cut_off(
        self, server: PaidServer, collects: Any, posts: Any, known: AccountTarget, fake_time: Any
    ) -> None:
        collects(posts)
        server.routes[FOLLOWED] = [Said(429, {}, {"Retry-After": "1800"}), run("SUCCEEDED")]
        report = await server.provider.discover(known, since=SINCE, known=())
        assert (report.outcome, report.wait_seconds > 1700) == (Outcome.RATE_LIMITED, True)
        await fake_time.sleep(report.wait_seconds)
        server.purse.age_runs(report.wait_seconds)
        report = await server.provider.discover(known, since=SINCE, known=())
        assert report.outcome is Outcome.OK
        assert len(started(server)) == 1
        assert (len(server.purse.reserved), len(server.purse.settled), server.purse.runs) == (
            1,
            1,
            {},
        )

    async def test_a_run_whose_items_were_lost_before_they_landed_is_not_paid_twice(
        self, server: PaidServer, collects: Any, posts: Any, known: AccountTarget
    ) -> None:
        collects(posts, posts, posts)
        with gathering():
            lost = await server.provider.discover(known, since=SINCE, known=())
        with gathering() as left:
            landed = await server.provider.discover(known, since=SINCE, known=())
        assert (landed.videos, len(started(server))) == (lost.videos, 1)
        assert (len(server.purse.reserved), len(set(server.purse.settled))) == (1, 1)
        for done in left:
            await done()
        await server.provider.discover(known, since=SINCE, known=())
        assert (len(started(server)), server.purse.runs) == (2, {})

    async def test_a_run_whose_fetch_is_cancelled_at_its_start_is_not_paid_twice(
        self,
        server: PaidServer,
        collects: Any,
        profile: Any,
        new: AccountTarget,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """As when another fetch of the crawl fails while the provider answers."""
        collects(profile)
        is_sent, goes_on = asyncio.Event(), asyncio.Event()
        start = HttpClient.start

        async def answered_late(*request: Any, **parts: Any) -> Answer:
            answer = await start(*request, **parts)
            is_sent.set()
            await goes_on.wait()
            return answer

        monkeypatch.setattr(HttpClient, "start", answered_late)
        fetch = asyncio.create_task(server.provider.profile(new))
        await is_sent.wait()
        fetch.cancel()
        asyncio.get_running_loop().call_soon(goes_on.set)
        with pytest.raises(asyncio.CancelledError):
            await fetch
        goes_on.set()
        assert (await server.provider.profile(new)).outcome is Outcome.OK
        assert len(started(server)) == 1

    async def test_a_run_too_old_to_be_dated_is_stopped_and_another_started(
        self, server: PaidServer, collects: Any, posts: Any, known: AccountTarget
    ) -> None:
        collects(posts)
        server.routes[ITEMS] = [Said(200, '[{"id": "76'), posts]
        report = await server.provider.discover(known, since=SINCE, known=())
        assert report.outcome is Outcome.SCHEMA_CHANGED
        server.purse.age_runs(OLDEST_RUN + 1)
        report = await server.provider.discover(known, since=SINCE, known=())
        assert (report.outcome, len(started(server))) == (Outcome.OK, 2)
        assert server.paths.count(ABORTED) == 1
        assert server.purse.runs == {}

    async def test_who_gives_up_reads_what_came_although_the_run_cannot_be_stopped(
        self, server: PaidServer, collects: Any, posts: Any, known: AccountTarget
    ) -> None:
        collects(posts, status="RUNNING")
        server.routes[ABORTED] = Said(503)
        report = await server.provider.discover(known, since=SINCE, known=())
        assert report.outcome is Outcome.UNREACHABLE
        assert POST[known.platform] in {v.platform_video_id for v in report.videos}

    @pytest.mark.slow
    async def test_items_come_in_parts_of_which_each_may_be_large(
        self, server: PaidServer, collects: Any, posts: Any, known: AccountTarget
    ) -> None:
        padded = [post | {"padding": "x" * 45_000} for post in many(posts, 450)]
        parts = [padded[first : first + 200] for first in range(0, 450, 200)]
        collects(many(posts, 20))
        total = {"X-Apify-Pagination-Total": "450"}
        all_of_200 = Said(200, many(posts, 200), {"X-Apify-Pagination-Total": "200"})
        large = [Said(200, part, total) for part in parts]
        server.routes[ITEMS] = [many(posts, 20), all_of_200, *large]
        known = replace(known, video_count=450)
        report = await server.provider.discover(known, since=SINCE, known=())
        assert (report.outcome, len(report.videos)) == (Outcome.OK, 450)
        assert [request.params["offset"] for request in server.asked if request.path == ITEMS] == [
            *("0", "0", "0", "200", "400")
        ]


class TestMoney:
    @pytest.mark.parametrize(
        ("answer", "outcome", "settled"),
        [
            (Said(401, {"error": {"message": "no"}}), Outcome.LOGIN_REQUIRED, [0]),
            (Said(402, {"error": {"message": "no"}}), Outcome.BUDGET_SPENT, [0]),
            (Said(403, {"error": {"message": "no"}}), Outcome.LOGIN_REQUIRED, [0]),
            (Said(404, {"error": {"message": "no"}}), Outcome.SCHEMA_CHANGED, [0]),
            (Said(429, {}, {"Retry-After": "0"}), Outcome.RATE_LIMITED, [0]),
            (Said(500, {"error": {"message": "no"}}), Outcome.UNREACHABLE, []),
            (Said(201, '{"data": {"id"'), Outcome.SCHEMA_CHANGED, []),
            (Said(201, "{}", cut_at=1), Outcome.UNREACHABLE, []),
        ],
    )
    async def test_a_start_is_never_repeated_and_paid_for_unless_it_was_clearly_refused(  # noqa: PLR0917  fixtures and the case
        self,
        server: PaidServer,
        paths: Any,
        new: AccountTarget,
        answer: Said,
        outcome: Outcome,
        settled: list[int],
    ) -> None:
        server.routes = {paths["profile"]: answer}
        report = await server.provider.profile(new)
        assert (report.outcome, report.account) == (outcome, None)
        assert server.purse.settled == settled
        assert (len(server.asked) > 1) is (answer.status == 429)

    async def test_a_start_that_never_left_is_not_paid_for(
        self, server: PaidServer, new: AccountTarget, platform: str, closing: Callable[[Any], Any]
    ) -> None:
        with socket() as unused:
            unused.bind(("127.0.0.1", 0))  # without listening: connections are refused
            built = closing(
                build_provider(
                    platform,
                    provider="apify",
                    base_url=f"http://127.0.0.1:{unused.getsockname()[1]}",
                    pace=Pace(4, 10_000.0),
                    clock=lambda: NOW,
                    account=Account(key=SecretStr(TOKEN), budget=server.purse),
                )
            )
            assert (await built.profile(new)).outcome is Outcome.UNREACHABLE
        assert (len(server.purse.reserved), server.purse.settled) == (1, [0])

    async def test_a_run_costs_what_it_says_and_else_what_its_results_do(
        self, server: PaidServer, collects: Any, posts: Any, known: AccountTarget
    ) -> None:
        collects(posts, usageTotalUsd=0.01234)
        await server.provider.discover(known, since=SINCE, known=())
        collects([*posts, {"url": "https://www.tiktok.com/@a/video/123456", "error": "not_found"}])
        await server.provider.discover(known, since=SINCE, known=())
        each = PAID["apify"].of(known.platform)["posts"].units
        assert (server.purse.reserved, server.purse.settled) == ([20 * each] * 2, [124, 3 * each])
        assert server.purse.authorized == [0, 0]

    @pytest.mark.parametrize("usd", [float("nan"), float("inf"), 1e300, -1, "1", True])
    async def test_a_price_that_is_none_counts_as_the_price_of_the_results(
        self, server: PaidServer, collects: Any, profile: Any, new: AccountTarget, usd: Any
    ) -> None:
        collects(profile, usageTotalUsd=usd)
        assert (await server.provider.profile(new)).outcome is Outcome.OK
        assert server.purse.settled == [PAID["apify"].of(new.platform)["profile"].units]

    async def test_nothing_is_started_that_the_day_s_budget_does_not_allow(
        self, server: PaidServer, new: AccountTarget
    ) -> None:
        server.purse.most = 0
        report = await server.provider.profile(new)
        assert (report.outcome, "all is spent" in report.detail) == (Outcome.BUDGET_SPENT, True)
        assert server.asked == []


@pytest.mark.parametrize(
    "answer",
    [Said(401, {"error": {"message": f"no {TOKEN}"}}), Said(201, TOKEN), Said(500, TOKEN)],
)
async def test_the_token_shows_nowhere(
    server: PaidServer,
    paths: Any,
    new: AccountTarget,
    answer: Said,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    server.routes = {paths["profile"]: answer}
    report = await server.provider.profile(new)
    assert TOKEN not in repr(report)
    assert TOKEN not in caplog.text


def many(posts: list[Any], count: int) -> list[Any]:
    """The first of so many posts, newest first."""
    last = posts[-1]
    return [
        last | {"id": str(int(last["id"]) - number), "isPinned": False} for number in range(count)
    ]


def limit(body: dict[str, Any]) -> int:
    return int(body.get("resultsPerPage", body.get("resultsLimit")))


def url_of(platform: str, post_id: str) -> str:
    return post_url(platform, post_id, "demo.creator")
