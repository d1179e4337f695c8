"""ScrapeCreators fetches always return a report and never expose the key.

A local server responds in the documented formats.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import SecretStr

from scrapers.outcomes import Outcome
from scrapers.paid.budget import BudgetSpentError
from scrapers.provider import CommentProvider, ListProvider
from scrapers.refusing import HALF
from scrapers.registry import PAID, Account, build_provider
from scrapers.snapshots import AccountTarget, PostTarget, ScrapeReport
from scrapers.transport.pacing import Pace
from scrapers.urls.any_platform import post_url
from tests.fixtures.paid import PaidServer, Reply
from tests.scrapers.conftest import PLATFORMS, POST, USER

pytestmark = pytest.mark.usefixtures("without_backoff")

NOW = datetime(2026, 9, 8, 12, tzinfo=UTC)
SINCE = NOW - timedelta(days=900)
KEY = "sc-invented-secret-key-0123456789"
PATHS = {
    platform: {name: route.path for name, route in PAID["scrapecreators"].of(platform).items()}
    for platform in PLATFORMS
}
GONE = Reply(404, {"success": False, "message": "not found"})

Payload = Callable[[str], Any]


@dataclass
class Purse:
    """A budget that records its charges and is spent after `most` requests."""

    most: int = 1000
    authorized: list[int] = field(default_factory=list)
    charged: list[int] = field(default_factory=list)

    async def authorize(self, units: int) -> None:
        if len(self.authorized) >= self.most:
            raise BudgetSpentError("all is spent")
        self.authorized.append(units)

    async def charge(self, units: int) -> None:
        self.charged.append(units)


@pytest.fixture
def paths(platform: str) -> dict[str, str]:
    return PATHS[platform]


@pytest.fixture
def recorded(payload: Payload, platform: str) -> Payload:
    """Load a ScrapeCreators response of the platform by its short name."""
    return lambda name: payload(f"scrapecreators/{platform}_{name}.json")


@pytest.fixture
def server(server: PaidServer, platform: str, closing: Callable[[Any], Any]) -> PaidServer:
    server.purse = Purse()
    server.provider = closing(
        build_provider(
            platform,
            provider="scrapecreators",
            base_url=server.base_url,
            pace=Pace(4, 10_000.0),
            clock=lambda: NOW,
            account=Account(key=SecretStr(KEY), budget=server.purse),
        )
    )
    return server


async def test_it_implements_all_provider_interfaces(server: PaidServer, platform: str) -> None:
    assert (server.provider.platform, server.provider.name) == (platform, "scrapecreators")
    assert isinstance(server.provider, CommentProvider)
    assert isinstance(server.provider, ListProvider)


class TestProfile:
    async def test_a_reading(
        self, server: PaidServer, paths: Any, recorded: Payload, new: AccountTarget
    ) -> None:
        server.routes = {paths["profile"]: recorded("profile")}
        report = await server.provider.profile(new)
        assert report.outcome is Outcome.OK
        account = report.account
        expected = {"tiktok": (4_100_000, 2017, False), "instagram": (25_116, 71, True)}
        figures = (account.follower_count, account.video_count, account.is_exact)
        assert figures == expected[new.platform]
        assert (account.captured_at, account.source) == (NOW, report.source)
        assert report.source == f"scrapecreators.{new.platform}_profile"
        assert account.platform_user_id == USER[new.platform]

    async def test_the_request_is_the_documented_one_with_the_key_in_a_header(
        self, server: PaidServer, paths: Any, recorded: Payload, new: AccountTarget
    ) -> None:
        server.routes = {paths["profile"]: recorded("profile")}
        await server.provider.profile(new)
        [request] = server.requests
        assert request.params == {"handle": "demo.creator"}
        assert request.headers["x-api-key"] == KEY
        assert request.headers["User-Agent"].startswith("creator-tracker/")

    @pytest.mark.parametrize(
        ("answer", "outcome", "says"),
        [
            (
                Reply(401, {"success": False, "message": "bad key"}),
                Outcome.LOGIN_REQUIRED,
                "_API_KEY",
            ),
            (Reply(401), Outcome.LOGIN_REQUIRED, "_API_KEY"),
            (Reply(402, {"message": "no credits"}), Outcome.BUDGET_SPENT, "no credits are left"),
            (GONE, Outcome.NOT_FOUND, "not found"),
            (Reply(404, "<html>Cannot GET /v1</html>"), Outcome.SCHEMA_CHANGED, "HTTP 404"),
            (Reply(429, {}, {"Retry-After": "0"}), Outcome.RATE_LIMITED, "429"),
            (Reply(500, {"message": "oops"}), Outcome.UNREACHABLE, "500"),
            (Reply(503), Outcome.UNREACHABLE, "503"),
            (Reply(400, {"message": "handle"}), Outcome.SCHEMA_CHANGED, "handle"),
            (Reply(200, ""), Outcome.SCHEMA_CHANGED, "cut off or not JSON"),
            (Reply(200, '{"success": true, "user": {"id"'), Outcome.SCHEMA_CHANGED, "cut off"),
            (Reply(200, "[]"), Outcome.SCHEMA_CHANGED, "not JSON"),
            (Reply(200, {"success": False, "message": "so"}), Outcome.SCHEMA_CHANGED, "so"),
            (Reply(200, {"success": True}), Outcome.SCHEMA_CHANGED, ""),  # fields missing
            (Reply(302, "", {"Location": "/login"}), Outcome.SCHEMA_CHANGED, "302"),
        ],
    )
    async def test_endings(  # noqa: PLR0917  fixtures and the case
        self,
        server: PaidServer,
        paths: Any,
        new: AccountTarget,
        answer: Reply,
        outcome: Outcome,
        says: str,
    ) -> None:
        server.routes = {paths["profile"]: answer}
        report = await server.provider.profile(new)
        assert (report.outcome, report.account) == (outcome, None)
        assert says in report.detail

    async def test_a_truncated_response_is_unreachable(
        self, server: PaidServer, paths: Any, recorded: Payload, new: AccountTarget
    ) -> None:
        server.routes = {paths["profile"]: Reply(body=recorded("profile"), cut_at=100)}
        report = await server.provider.profile(new)
        assert (report.outcome, report.account) == (Outcome.UNREACHABLE, None)

    async def test_another_accounts_profile_is_refused(
        self, server: PaidServer, paths: Any, recorded: Payload, new: AccountTarget
    ) -> None:
        server.routes = {paths["profile"]: recorded("profile")}
        report = await server.provider.profile(replace(new, handle="somebody.else"))
        assert (report.outcome, report.account) == (Outcome.SCHEMA_CHANGED, None)
        assert "asked for somebody.else, got demo.creator" in report.detail

    async def test_a_handle_passed_on_to_another_account_is_not_read_as_the_old_one(
        self, server: PaidServer, paths: Any, recorded: Payload, new: AccountTarget
    ) -> None:
        server.routes = {paths["profile"]: recorded("profile")}
        report = await server.provider.profile(replace(new, platform_user_id="5"))
        assert (report.outcome, report.account) == (Outcome.NOT_FOUND, None)

    async def test_a_renamed_account_is_accepted(
        self, server: PaidServer, paths: Any, recorded: Payload, known: AccountTarget
    ) -> None:
        server.routes = {paths["profile"]: recorded("profile")}
        report = await server.provider.profile(replace(known, handle="old.name"))
        assert report.outcome is Outcome.OK
        assert (report.account.handle, report.account.observed_handle) == (
            "old.name",
            "demo.creator",
        )

    async def test_counts_under_other_names_are_not_zero(
        self, server: PaidServer, paths: Any, recorded: Payload, new: AccountTarget
    ) -> None:
        answer = recorded("profile")
        if new.platform == "tiktok":
            answer["stats"] = {"followers": 5}
        else:
            del answer["data"]["user"]["edge_followed_by"], answer["data"]["user"]["edge_follow"]
        server.routes = {paths["profile"]: answer}
        report = await server.provider.profile(new)
        assert (report.outcome, report.account) == (Outcome.SCHEMA_CHANGED, None)


class TestDiscover:
    async def discover(self, provider: Any, target: AccountTarget, **changes: Any) -> ScrapeReport:
        report: ScrapeReport = await provider.discover(
            target, **{"since": SINCE, "known": (), **changes}
        )
        return report

    async def test_it_pages_by_cursors_to_the_end(
        self, server: PaidServer, paths: Any, recorded: Payload, known: AccountTarget
    ) -> None:
        server.routes = {paths["posts"]: [recorded("posts"), recorded("last_posts")]}
        target = replace(known, video_count=3)
        report = await self.discover(
            server.provider, target, since=datetime(2021, 1, 1, tzinfo=UTC)
        )
        assert (report.outcome, report.reached_known) == (Outcome.OK, True)
        platform_video_ids = [v.platform_video_id for v in report.videos]
        assert len(platform_video_ids) == {"tiktok": 4, "instagram": 3}[known.platform]
        assert POST[known.platform] in platform_video_ids
        assert {v.source for v in report.videos} == {f"scrapecreators.{known.platform}_posts"}
        cursor = {
            "tiktok": {"max_cursor": "1788372000000"},
            "instagram": {"next_max_id": "3979005160306369089_67000000001"},
        }
        first, second = (request.params for request in server.requests)
        assert second == {**first, **cursor[known.platform]}

    async def test_all_counters_are_read(
        self, server: PaidServer, paths: Any, recorded: Payload, known: AccountTarget
    ) -> None:
        server.routes = {
            paths["posts"]: recorded("last_posts") | {"items": recorded("posts").get("items")}
        }
        if known.platform == "tiktok":
            server.routes = {paths["posts"]: recorded("posts") | {"has_more": 0}}
        report = await self.discover(server.provider, known)
        video = next(v for v in report.videos if v.platform_video_id == POST[known.platform])
        counts = (
            video.view_count,
            video.like_count,
            video.comment_count,
            video.share_count,
            video.save_count,
        )
        assert (
            counts
            == {
                "tiktok": (141_567, 18_651, 152, 237, 274),
                "instagram": (35_499, 387, 12, None, None),
            }[known.platform]
        )
        assert video.duration_seconds == {"tiktok": 89, "instagram": 77}[known.platform]
        assert (video.posted_at, video.posted_at_is_estimate) == (
            datetime.fromtimestamp(1_788_800_000, UTC),
            False,
        )

    async def test_it_stops_at_known_posts_and_at_the_start(
        self, server: PaidServer, paths: Any, recorded: Payload, known: AccountTarget
    ) -> None:
        server.routes = {paths["posts"]: recorded("posts")}
        report = await self.discover(server.provider, known, since=NOW)
        assert (report.outcome, report.reached_known, report.videos) == (Outcome.OK, True, ())
        assert len(server.requests) == 1

    async def test_a_repeating_page_ends_the_fetch(
        self, server: PaidServer, paths: Any, recorded: Payload, known: AccountTarget
    ) -> None:
        server.routes = {paths["posts"]: recorded("posts")}
        report = await self.discover(server.provider, known)
        assert (report.outcome, report.reached_known) == (Outcome.BLOCKED_SILENT, False)
        assert len(server.requests) == 4

    async def test_other_accounts_posts_are_ignored(
        self, server: PaidServer, paths: Any, recorded: Payload, new: AccountTarget
    ) -> None:
        server.routes = {paths["posts"]: recorded("posts")}
        report = await self.discover(server.provider, replace(new, handle="somebody.else"))
        assert (report.outcome, report.videos) == (Outcome.SCHEMA_CHANGED, ())

    async def test_an_empty_list_of_an_account_with_posts_is_a_refusal(
        self, server: PaidServer, paths: Any, recorded: Payload, known: AccountTarget
    ) -> None:
        empty = recorded("last_posts") | {"aweme_list": None, "items": []}
        server.routes = {paths["posts"]: empty, paths["profile"]: recorded("profile")}
        report = await self.discover(server.provider, known)
        assert (report.outcome, report.videos) == (Outcome.BLOCKED_SILENT, ())
        assert report.account is not None

    async def test_a_list_under_another_name_is_not_an_empty_list(
        self, server: PaidServer, paths: Any, known: AccountTarget
    ) -> None:
        server.routes = {paths["posts"]: {"success": True, "posts": [], "has_more": 0}}
        report = await self.discover(server.provider, known)
        assert report.outcome is Outcome.SCHEMA_CHANGED

    async def test_a_list_without_an_end_flag_has_not_ended(
        self, server: PaidServer, paths: Any, recorded: Payload, known: AccountTarget
    ) -> None:
        answer = recorded("posts") | {"has_more": None, "more_available": None}
        server.routes = {paths["posts"]: answer}
        report = await self.discover(server.provider, known)
        assert (report.outcome, report.reached_known) == (Outcome.SCHEMA_CHANGED, False)


class TestPost:
    async def test_a_reading(
        self, server: PaidServer, paths: Any, recorded: Payload, post: PostTarget
    ) -> None:
        server.routes = {paths["post"]: recorded("post")}
        report = await server.provider.post(post)
        [video] = report.videos
        assert (report.outcome, video.platform_video_id) == (Outcome.OK, POST[post.platform])
        assert video.view_count == {"tiktok": 141_567, "instagram": 4651}[post.platform]
        assert video.like_count == {"tiktok": 18_651, "instagram": 153}[post.platform]
        assert server.requests[0].params == {
            "url": post_url(post.platform, POST[post.platform], post.handle)
        }

    @pytest.mark.parametrize("platform", ["instagram"], indirect=True)
    async def test_likes_that_are_hidden_stay_unknown(
        self, server: PaidServer, paths: Any, recorded: Payload, post: PostTarget
    ) -> None:
        answer = recorded("post")
        answer["data"]["xdt_shortcode_media"]["like_and_view_counts_disabled"] = True
        server.routes = {paths["post"]: answer}
        [video] = (await server.provider.post(post)).videos
        assert (video.like_count, video.comment_count) == (None, 17)

    async def test_another_post_under_the_requested_id_is_refused(
        self, server: PaidServer, paths: Any, recorded: Payload, post: PostTarget
    ) -> None:
        server.routes = {paths["post"]: recorded("post")}
        report = await server.provider.post(replace(post, platform_video_id="7682837474828885295"))
        assert (report.outcome, report.videos) == (Outcome.SCHEMA_CHANGED, ())
        assert "asked for 7682837474828885295" in report.detail

    async def test_a_missing_post(self, server: PaidServer, paths: Any, post: PostTarget) -> None:
        server.routes = {paths["post"]: GONE}
        assert (await server.provider.post(post)).outcome is Outcome.POST_UNAVAILABLE


class TestComments:
    async def test_a_crawl(
        self, server: PaidServer, paths: Any, recorded: Payload, post: PostTarget
    ) -> None:
        server.routes = {paths["comments"]: recorded("comments")}
        report = await server.provider.comments(post)
        assert report.outcome is Outcome.OK
        [comment] = report.comment_crawl.comments
        assert comment.text == {"tiktok": "What a view", "instagram": "Lovely"}[post.platform]
        assert comment.like_count == {"tiktok": 1015, "instagram": 4}[post.platform]
        assert comment.author_unique_id == "fan.one"
        assert comment.source == f"scrapecreators.{post.platform}_comments"
        assert report.comment_crawl.is_complete is (post.platform == "tiktok")

    async def test_no_comments_under_a_post_that_counts_some_is_a_refusal(
        self, server: PaidServer, paths: Any, recorded: Payload, post: PostTarget
    ) -> None:
        empty = recorded("comments") | {"comments": []}
        server.routes = {paths["comments"]: empty, paths["post"]: recorded("post")}
        report = await server.provider.comments(post)
        assert report.outcome is Outcome.BLOCKED_SILENT
        assert len(report.videos) == 1


class TestMoney:
    async def test_every_request_and_retry_is_authorized_before_it_is_sent(
        self, server: PaidServer, paths: Any, new: AccountTarget
    ) -> None:
        server.routes = {paths["profile"]: Reply(503)}
        await server.provider.profile(new)
        assert server.purse.authorized == [1] * len(server.requests) == [1, 1, 1]

    async def test_nothing_is_sent_once_the_budget_is_spent(
        self, server: PaidServer, paths: Any, new: AccountTarget
    ) -> None:
        server.purse.most = 0
        for _ in range(HALF + 1):
            report = await server.provider.profile(new)
            assert (report.outcome, report.account) == (Outcome.BUDGET_SPENT, None)
            assert "all is spent" in report.detail
        assert server.requests == []

    async def test_results_before_the_budget_was_spent_are_returned(
        self, server: PaidServer, paths: Any, recorded: Payload, known: Any
    ) -> None:
        server.purse.most = 1
        server.routes = {paths["posts"]: recorded("posts")}
        report = await server.provider.discover(known, since=SINCE, known=())
        assert (report.outcome, report.reached_known) == (Outcome.BUDGET_SPENT, False)
        assert POST[known.platform] in {v.platform_video_id for v in report.videos}

    async def test_a_response_above_its_price_is_charged_at_its_stated_cost(
        self, server: PaidServer, paths: Any, recorded: Payload, new: Any
    ) -> None:
        server.routes = {paths["profile"]: recorded("profile") | {"credits_charged": 15}}
        assert (await server.provider.profile(new)).outcome is Outcome.OK
        assert (server.purse.authorized, server.purse.charged) == ([1], [14])


class TestKey:
    async def test_a_refused_key_is_not_retried_for_ever(
        self, server: PaidServer, paths: Any, new: AccountTarget
    ) -> None:
        server.routes = {paths["profile"]: Reply(401, {"message": "bad key"})}
        for _ in range(HALF + 5):
            assert (await server.provider.profile(new)).outcome is Outcome.LOGIN_REQUIRED
        assert len(server.requests) == HALF

    @pytest.mark.parametrize(
        "answer",
        [
            Reply(401, {"message": f"no such key {KEY}"}),
            Reply(200, f"<html>{KEY}</html>"),
            Reply(503, KEY),
            Reply(200, {"success": False, "message": KEY}),
        ],
    )
    async def test_it_is_never_shown(
        self,
        server: PaidServer,
        paths: Any,
        new: AccountTarget,
        answer: Reply,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        caplog.set_level(logging.DEBUG)
        server.routes = {paths["profile"]: answer}
        report = await server.provider.profile(new)
        assert KEY not in repr(report)
        assert KEY not in caplog.text
        assert "(secret)" in repr(report)


DEMO = AccountTarget(platform="instagram", handle="demo.creator", platform_user_id="67000000001")


@pytest.mark.parametrize("platform", ["instagram"])
class TestInstagramList:
    def listed(self, server: PaidServer, paths: Any, recorded: Payload, **changes: Any) -> None:
        page = recorded("posts")
        page["items"][0] |= changes
        server.routes = {paths["posts"]: page | {"more_available": False, "next_max_id": None}}

    async def test_a_post_of_two_authors_is_listed_under_both(
        self, server: PaidServer, paths: Any, recorded: Payload
    ) -> None:
        ours = recorded("posts")["items"][0]["user"]
        brand = {"pk": "5", "username": "brand"}
        self.listed(server, paths, recorded, user=brand, coauthor_producers=[ours])
        report = await server.provider.discover(DEMO, since=SINCE, known=())
        post_id = report.videos[0].platform_video_id
        assert [video.handle for video in report.videos if video.platform_video_id == post_id] == [
            "demo.creator",
            "brand",
        ]
