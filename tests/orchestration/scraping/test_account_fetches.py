"""What one account fetch fetches, with a custom provider."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest

from orchestration.scraping.account_fetches import Fetcher
from orchestration.scraping.fetches import Fetch, landing_rows
from orchestration.scraping.patience import Patience
from scrapers.instagram.provider import InstagramProvider
from scrapers.outcomes import Outcome
from scrapers.simulator import Fault, FaultKind, Faults, World, running_simulator
from scrapers.snapshots import AccountTarget, PostTarget, ScrapeReport
from scrapers.tiktok.provider import TikTokProvider
from scrapers.transport.pacing import Pace
from tests.orchestration.own_provider import (
    COUNTED,
    DEMO,
    KNOWN_UNCOUNTED,
    NOON,
    UNCOUNTED,
    OwnProvider,
)
from warehouse.landing.schema import LANDED


@dataclass
class ListingProvider(OwnProvider):
    """A provider that says whether it can list posts without the profile."""

    can_list: bool = True

    def lists_without_profile(self, target: AccountTarget) -> bool:
        assert target == DEMO
        return self.can_list


async def account_fetch(provider: OwnProvider, **more: Any) -> list[Fetch]:
    fetcher = Fetcher(provider, lambda: NOON)
    fetches = fetcher.account(DEMO, since=NOON, known={"1", "3"}, **more)
    return [fetch async for fetch in fetches]


@dataclass
class Paused(OwnProvider):
    """A provider that reads many posts at once, and requests a pause before all but the first."""

    posts_a_call: int = 10
    calls: list[list[str]] = field(default_factory=list)

    async def counters(self, targets: Sequence[PostTarget]) -> list[ScrapeReport]:
        self.calls.append([target.platform_video_id for target in targets])
        first, *others = targets
        later = ScrapeReport(outcome=Outcome.RATE_LIMITED, source="own", wait_seconds=5.0)
        return [await self.post(first), *[later for _ in others]]


class TestManyPosts:
    TARGETS = tuple(
        PostTarget(platform="tiktok", platform_video_id=str(number)) for number in range(3)
    )

    async def test_posts_after_a_pause_are_requested_again(self) -> None:
        provider, waited = Paused(), list[float]()

        async def wait(seconds: float) -> None:
            waited.append(seconds)

        patience = Patience(60.0, sleep=wait, now=lambda: 0.0)
        fetcher = Fetcher(provider, lambda: NOON, patience)
        fetches = [fetch async for fetch in fetcher.posts(self.TARGETS)]
        assert provider.calls == [["0", "1", "2"], ["1", "2"], ["2"]]
        assert [getattr(fetch.target, "platform_video_id", "") for fetch in fetches] == [
            "0",
            "1",
            "2",
        ]
        assert not any(fetch.was_left for fetch in fetches)
        assert waited

    async def test_posts_before_a_pause_are_returned_before_it(self) -> None:
        """A worker that is stopped during the pause has already landed them."""

        async def wait(_seconds: float) -> None:
            await asyncio.Event().wait()

        patience = Patience(60.0, sleep=wait, now=lambda: 0.0)
        fetches = Fetcher(Paused(), lambda: NOON, patience).posts(self.TARGETS)
        assert (await asyncio.wait_for(anext(fetches), 5)).report.outcome is Outcome.OK

    async def test_without_patience_fetches_are_left(self) -> None:
        provider = Paused()
        fetches = [fetch async for fetch in Fetcher(provider, lambda: NOON).posts(self.TARGETS)]
        assert [fetch.was_left for fetch in fetches] == [False, True, True]
        assert len(provider.calls) == 1


class TestVisitingAnAccount:
    async def test_new_posts_that_a_list_shows_without_counters_are_fetched_at_once(self) -> None:
        provider = OwnProvider(posts=(COUNTED, UNCOUNTED, KNOWN_UNCOUNTED))
        fetches = await account_fetch(provider)
        assert [fetch.job_type for fetch in fetches] == [
            "creator_profiles",
            "discover_videos",
            "video_stats",
        ]
        assert fetches[-1].target == PostTarget(
            platform="tiktok", platform_video_id="2", handle="demo", platform_user_id="7"
        )

    @pytest.mark.parametrize(("media_type", "has_views"), [("video", True), ("photo", False)])
    async def test_views_of_a_new_video_are_awaited(
        self, media_type: str, *, has_views: bool
    ) -> None:
        """Without an account, only the newest reels of an added account show their views."""
        [*_, fetch] = await account_fetch(
            OwnProvider(posts=(replace(UNCOUNTED, media_type=media_type),))
        )
        assert isinstance(fetch.target, PostTarget)
        assert fetch.target.has_views is has_views

    async def test_posts_whose_time_is_a_guess_are_fetched_once_for_the_true_one(self) -> None:
        guessed = replace(COUNTED, posted_at_is_estimate=True)
        posts = [replace(guessed, platform_video_id=post_id) for post_id in ("1", "3", "4", "5")]
        posts.append(replace(COUNTED, platform_video_id="6", posted_at=None))
        posts.append(replace(COUNTED, platform_video_id="7"))
        fetches = await account_fetch(OwnProvider(posts=tuple(posts)), undated={"3"})
        targets = [fetch.target for fetch in fetches if fetch.job_type == "video_stats"]
        platform_video_ids = [
            target.platform_video_id for target in targets if isinstance(target, PostTarget)
        ]
        assert platform_video_ids == ["3", "4", "5", "6"]

    async def test_a_post_shown_under_two_authors_is_fetched_once(self) -> None:
        posts = (replace(UNCOUNTED, platform_user_id="8"), UNCOUNTED)
        fetches = await account_fetch(OwnProvider(posts=posts))
        assert [fetch.job_type for fetch in fetches].count("video_stats") == 1

    async def test_a_post_that_two_providers_have_shown_is_fetched_once_if_at_all(self) -> None:
        uncounted, guessed = UNCOUNTED, replace(UNCOUNTED, posted_at_is_estimate=True)
        counted = replace(COUNTED, platform_video_id="4")
        posts = (uncounted, guessed, replace(counted, view_count=None), counted)
        fetches = await account_fetch(OwnProvider(posts=posts))
        targets = [fetch.target for fetch in fetches if fetch.job_type == "video_stats"]
        platform_video_ids = [
            target.platform_video_id for target in targets if isinstance(target, PostTarget)
        ]
        assert platform_video_ids == ["2"]

    async def test_the_discovery_uses_the_profiles_ids(self) -> None:
        provider = OwnProvider()
        await account_fetch(provider)
        assert provider.targets == [
            DEMO,
            replace(DEMO, platform_user_id="7", platform_alt_id="MS4wLjAB"),
        ]

    async def test_posts_of_a_private_account_are_not_requested(self) -> None:
        provider = OwnProvider(profile_ends=Outcome.PRIVATE)
        assert [fetch.report.outcome for fetch in await account_fetch(provider)] == [
            Outcome.PRIVATE
        ]
        assert provider.targets == [DEMO]

    @pytest.mark.parametrize(
        "outcome", [outcome for outcome in Outcome if outcome is not Outcome.OK]
    )
    async def test_a_failed_profile_ends_the_account_fetch(self, outcome: Outcome) -> None:
        provider = OwnProvider(profile_ends=outcome)
        assert [fetch.report.outcome for fetch in await account_fetch(provider)] == [outcome]
        assert provider.targets == [DEMO]

    @pytest.mark.parametrize(
        ("outcome", "goes_on"),
        [
            (Outcome.LOGIN_REQUIRED, True),
            (Outcome.CHALLENGED, True),
            (Outcome.BLOCKED_SILENT, True),
            (Outcome.RATE_LIMITED, False),
            (Outcome.SCHEMA_CHANGED, True),
            (Outcome.UNREACHABLE, False),
            (Outcome.NOT_FOUND, False),
            (Outcome.BANNED, False),
            (Outcome.PRIVATE, False),
        ],
    )
    @pytest.mark.parametrize("can_list", [True, False])
    async def test_a_refused_profile_does_not_stop_a_listing_by_another_route(
        self, outcome: Outcome, *, goes_on: bool, can_list: bool
    ) -> None:
        provider = ListingProvider(profile_ends=outcome, can_list=can_list)
        fetches = [fetch.job_type for fetch in await account_fetch(provider)]
        expected = ["creator_profiles", "discover_videos"][: 2 if goes_on and can_list else 1]
        assert fetches == expected

    async def test_a_refused_profile_ends_both_jobs_of_an_account(self) -> None:
        jobs = {"profile_job": uuid4(), "posts_job": uuid4()}
        fetches = await account_fetch(OwnProvider(profile_ends=Outcome.CHALLENGED), **jobs)
        assert [(fetch.job_type, fetch.job_id) for fetch in fetches] == [
            ("creator_profiles", jobs["profile_job"]),
            ("discover_videos", jobs["posts_job"]),
        ]
        assert {fetch.report.outcome for fetch in fetches} == {Outcome.CHALLENGED}


NOW = datetime(2026, 9, 8, 12, tzinfo=UTC)


@pytest.mark.slow
async def test_one_account_fetch_finds_the_true_time_of_every_new_reel() -> None:
    with running_simulator(World(seed=11, creators=20)) as simulator:
        simulator.set_now(NOW)
        provider = InstagramProvider(
            base_url=simulator.instagram_url, pace=Pace(4, 10_000), clock=lambda: NOW
        )
        async with aclosing(provider):
            gaps = [
                gap
                for handle in simulator.world.handles("instagram", at=NOW)[:5]
                async for gap in gaps_after_a_account_fetch(simulator.world, provider, handle)
            ]
    assert len(gaps) >= 36
    assert max(gaps) > timedelta(hours=1)


async def test_an_account_fetch_requests_a_profile_page_once() -> None:
    world = World(seed=11, creators=20)
    handle = world.handles("instagram", at=NOW)[0]
    counted = Fault(kind=FaultKind.SLOW, latency_ms=1, path=f"/instagram/{handle}/")
    with running_simulator(world, faults=Faults(rules=(counted,))) as simulator:
        simulator.set_now(NOW)
        provider = InstagramProvider(
            base_url=simulator.instagram_url, pace=Pace(4, 10_000), clock=lambda: NOW
        )
        fetched = Fetcher(provider, lambda: NOW).account(
            AccountTarget(platform="instagram", handle=handle), since=NOW, known=()
        )
        async with aclosing(provider), httpx.AsyncClient() as http:
            outcomes = [fetch.report.outcome async for fetch in fetched]
            hits = await http.get(f"{simulator.base_url}/_simulator/faults/met")
    assert (outcomes, hits.json()) == ([Outcome.OK, Outcome.OK], [1])


async def test_a_fresh_installation_sees_posts_behind_challenged_pages() -> None:
    challenge = Faults(rules=(Fault(kind=FaultKind.CHALLENGE, path="/tiktok/@*"),))
    with running_simulator(World(seed=11, creators=20), faults=challenge) as simulator:
        simulator.set_now(NOW)
        provider = TikTokProvider(
            base_url=simulator.tiktok_url, pace=Pace(4, 10_000), clock=lambda: NOW
        )
        handle = simulator.world.handles("tiktok", at=NOW)[0]
        true = simulator.world.profile("tiktok", handle, NOW)
        since = NOW - timedelta(days=20)
        posts = {
            post.platform_video_id: post for post in simulator.world.posts("tiktok", handle, NOW)
        }
        fetched = Fetcher(provider, lambda: NOW).account(
            AccountTarget(platform="tiktok", handle=handle), since=since, known=()
        )
        async with aclosing(provider):
            profile, *pages = [fetch.report async for fetch in fetched]
    assert true is not None
    assert profile.account is not None
    assert (profile.source, profile.account.platform_alt_id) == (
        "tiktok.creator_embed",
        true.platform_alt_id,
    )
    assert {page.outcome for page in pages} == {Outcome.OK}
    videos = {video.platform_video_id: video for page in pages for video in page.videos}
    assert videos.keys() == {key for key, post in posts.items() if post.posted_at >= since}
    assert all(
        video.view_count == posts[key].view_count for key, video in videos.items() if video.is_exact
    )


async def gaps_after_a_account_fetch(
    world: World, provider: InstagramProvider, handle: str
) -> AsyncIterator[timedelta]:
    """The errors of the reels' estimates, each corrected by the account fetch."""
    true = {post.platform_video_id: post for post in world.posts("instagram", handle, NOW)}
    fetcher, account = (
        Fetcher(provider, lambda: NOW),
        AccountTarget(platform="instagram", handle=handle),
    )
    guessed: dict[str, datetime] = {}
    true_times: dict[str, datetime] = {}
    async for fetch in fetcher.account(account, since=NOW - timedelta(days=40), known=()):
        for video in fetch.report.videos:
            assert video.posted_at is not None
            times = guessed if video.posted_at_is_estimate else true_times
            times[video.platform_video_id] = video.posted_at
    for video_id, guess in guessed.items():
        if not true[video_id].is_restricted:
            assert true_times[video_id] == true[video_id].posted_at
            yield true_times[video_id] - guess


class TestLandingRows:
    async def test_every_fetch_has_an_outcome_and_posts_before_a_refusal_land(
        self,
    ) -> None:
        rows = landing_rows(await account_fetch(OwnProvider(posts=(COUNTED,))))
        assert [(row["job_type"], row["outcome"], row["detail"]) for row in rows.outcomes] == [
            ("creator_profiles", "ok", None),
            ("discover_videos", "rate_limited", "later"),
        ]
        assert [row["platform_video_id"] for row in rows.posts] == ["1"]
        assert [row["follower_count"] for row in rows.profiles] == [100]

    async def test_rows_have_the_columns_of_a_landed_batch(self) -> None:
        rows = landing_rows(await account_fetch(OwnProvider(posts=(COUNTED,))))
        assert rows.profiles[0].keys() == LANDED["profiles"].keys()
        assert rows.posts[0].keys() == LANDED["posts"].keys()
        assert rows.outcomes[0].keys() == LANDED["outcomes"].keys()
