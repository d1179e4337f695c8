"""Fetches through TikTok's Research API end in a report; its secret and token show nowhere.

Its server is a local one that answers in the shapes that TikTok documents.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import SecretStr

from scrapers.outcomes import Outcome
from scrapers.paid.budget import Unlimited
from scrapers.provider import ClientCredentials, CommentProvider, ListProvider
from scrapers.refusing import HALF
from scrapers.registry import Client, UnknownProviderError, build_provider
from scrapers.snapshots import AccountTarget, PostTarget
from scrapers.tiktok_research.provider import ResearchProvider
from scrapers.tiktok_research.settings import routes
from scrapers.transport.pacing import Pace
from tests.fixtures.paid import PaidServer, Said

pytestmark = pytest.mark.usefixtures("without_backoff")

NOW = datetime(2026, 9, 8, 12, tzinfo=UTC)
SINCE = NOW - timedelta(days=20)
CLIENT = ClientCredentials(client_key="awinvented", client_secret=SecretStr("inventedSecret0123"))
ACCESS = "clt.inventedToken0123456789"
TOKEN, USER = routes().token.path, routes().user.path
VIDEOS, COMMENTS = routes().videos.path, routes().comments.path
DEMO = AccountTarget(
    platform="tiktok", handle="demo.creator", platform_user_id="6871947673887454020"
)
POST = PostTarget(platform="tiktok", platform_video_id="7682837474828885294", handle="demo.creator")
GOOD_TOKEN = {"access_token": ACCESS, "expires_in": 7200, "token_type": "Bearer"}
PROFILE = {
    "display_name": "Demo Creator",
    "bio_description": "Invented bio",
    "avatar_url": "https://p16.example/a.jpeg",
    "is_verified": False,
    "follower_count": 1_203_417,
    "following_count": 85,
    "likes_count": 34_512_876,
    "video_count": 412,
}


def video(number: int = 7682837474828885294, **changes: Any) -> dict[str, Any]:
    return {
        "id": number,
        "username": "demo.creator",
        "create_time": 1_788_800_000,
        "video_description": "Invented caption",
        "view_count": 88_041,
        "like_count": 9_102,
        "comment_count": 214,
        "share_count": 77,
        "favorites_count": 12,
        "video_duration": 23,
    } | changes


def comment(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "id": number,
        "video_id": 7682837474828885294,
        "text": "Nice one",
        "like_count": 31,
        "reply_count": 2,
        "parent_comment_id": 7682837474828885294,
        "create_time": 1_788_803_600,
    } | changes


def data(**fields: Any) -> dict[str, Any]:
    return {"data": fields, "error": {"code": "ok", "message": "", "log_id": "x"}}


def error(code: str, status: int = 400) -> Said:
    return Said(status, {"data": {}, "error": {"code": code, "message": "so it is", "log_id": "x"}})


@pytest.fixture
def server(server: PaidServer, fake_time: Any, closing: Callable[[Any], Any]) -> PaidServer:
    server.routes = {TOKEN: GOOD_TOKEN}
    server.provider = closing(
        ResearchProvider(
            base_url=server.base_url,
            pace=Pace(4, 10_000.0),
            clock=lambda: NOW,
            credentials=CLIENT,
            budget=Unlimited(),
            sleep=fake_time.sleep,
            now=fake_time.now,
        )
    )
    return server


def queries(server: PaidServer) -> list[Any]:
    return [request.body for request in server.asked if request.path == VIDEOS]


async def test_it_is_built_by_its_name_with_a_client(
    server: PaidServer, closing: Callable[[Any], Any]
) -> None:
    client = Client(credentials=CLIENT, budget=Unlimited())
    common: Any = {"base_url": server.base_url, "pace": Pace(1, 10.0), "clock": lambda: NOW}
    built = closing(build_provider("tiktok", provider="research", client=client, **common))
    assert isinstance(built, CommentProvider)
    assert isinstance(built, ListProvider)
    with pytest.raises(UnknownProviderError, match="needs credentials"):
        build_provider("tiktok", provider="research", **common)
    with pytest.raises(UnknownProviderError, match="is for 'tiktok', not 'instagram'"):
        build_provider("instagram", provider="research", client=client, **common)


async def test_a_profile(server: PaidServer) -> None:
    server.routes[USER] = data(**PROFILE)
    report = await server.provider.profile(DEMO)
    account = report.account
    assert (report.outcome, report.source) == (Outcome.OK, "research.tiktok_user_info")
    counts = (account.follower_count, account.total_likes_count, account.video_count)
    assert (counts, account.is_exact) == ((1_203_417, 34_512_876, 412), False)
    assert account.platform_user_id == DEMO.platform_user_id
    token, request = server.asked
    assert token.path == TOKEN
    assert request.body == {"username": "demo.creator"}
    assert request.headers["Authorization"] == f"Bearer {ACCESS}"
    assert "follower_count" in request.params["fields"].split(",")


class TestTokens:
    async def test_one_is_asked_for_once_and_renewed_before_it_ends(
        self, server: PaidServer, fake_time: Any
    ) -> None:
        server.routes[USER] = data(**PROFILE)
        for seconds in (0, 6_899, 1):
            fake_time.seconds += seconds
            await server.provider.profile(DEMO)
        assert server.paths.count(TOKEN) == 2

    async def test_one_that_ended_before_its_time_is_renewed_once(self, server: PaidServer) -> None:
        stale = error("access_token_invalid", 401)
        server.routes[USER] = [stale, data(**PROFILE), stale, stale]
        assert (await server.provider.profile(DEMO)).outcome is Outcome.OK
        assert (await server.provider.profile(DEMO)).outcome is Outcome.LOGIN_REQUIRED
        assert (server.paths.count(TOKEN), server.paths.count(USER)) == (3, 4)

    @pytest.mark.parametrize(
        ("answer", "outcome"),
        [
            (Said(401, {"error": "invalid_client", "error_description": "no"}), "login_required"),
            (Said(200, {"expires_in": 7200}), "schema_changed"),
            (Said(200, {"access_token": "a b\n", "expires_in": "x"}), "schema_changed"),
            (Said(200, "<html>"), "schema_changed"),
            (Said(503), "unreachable"),
        ],
    )
    async def test_without_one_nothing_is_asked(
        self, server: PaidServer, answer: Said, outcome: str
    ) -> None:
        server.routes[TOKEN] = answer
        report = await server.provider.profile(DEMO)
        assert (report.outcome, report.account) == (outcome, None)
        assert USER not in server.paths


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (error("scope_not_authorized", 401), Outcome.LOGIN_REQUIRED),
        (error("daily_quota_limit_exceeded", 429), Outcome.BUDGET_SPENT),
        (error("rate_limit_exceeded", 429), Outcome.RATE_LIMITED),
        (error("internal_error", 200), Outcome.UNREACHABLE),
        (error("invalid_params"), Outcome.SCHEMA_CHANGED),
        (Said(500), Outcome.UNREACHABLE),
        (Said(200, '{"data": {"follower'), Outcome.SCHEMA_CHANGED),
        (Said(200, data()), Outcome.SCHEMA_CHANGED),
        (Said(200, {"data": None, "error": {"code": "ok"}}), Outcome.SCHEMA_CHANGED),
        (Said(200, "[]"), Outcome.SCHEMA_CHANGED),
    ],
)
async def test_refusals_are_named(server: PaidServer, answer: Said, outcome: Outcome) -> None:
    server.routes |= {USER: answer, VIDEOS: answer}
    profile = await server.provider.profile(DEMO)
    assert (profile.outcome, profile.account) == (outcome, None)
    posts = await server.provider.discover(DEMO, since=SINCE, known=())
    assert (posts.outcome, posts.videos) == (outcome, ())


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        (USER, error("scope_not_authorized", 401)),
        (TOKEN, Said(401, {"error": "invalid_client", "error_description": "no"})),
    ],
)
async def test_after_refusals_nothing_is_asked_for_a_while(
    server: PaidServer, path: str, answer: Said
) -> None:
    server.routes[path] = answer
    reports = [await server.provider.profile(DEMO) for _ in range(HALF + 5)]
    assert {report.outcome for report in reports} == {Outcome.LOGIN_REQUIRED}
    assert server.paths.count(path) == HALF


class TestDiscover:
    async def test_all_counters_are_read_and_none_is_exact(self, server: PaidServer) -> None:
        server.routes[VIDEOS] = data(videos=[video()], cursor=1, has_more=False, search_id="7")
        report = await server.provider.discover(DEMO, since=SINCE, known=())
        assert (report.outcome, report.reached_known) == (Outcome.OK, True)
        [seen] = report.videos
        counts = (
            seen.view_count,
            seen.like_count,
            seen.comment_count,
            seen.share_count,
            seen.save_count,
        )
        assert counts == (88_041, 9_102, 214, 77, 12)
        assert (seen.is_exact, seen.source) == (False, "research.tiktok_video_query")
        assert seen.posted_at == datetime.fromtimestamp(1_788_800_000, UTC)
        assert queries(server) == [
            {
                "query": {
                    "and": [
                        {
                            "operation": "EQ",
                            "field_name": "username",
                            "field_values": ["demo.creator"],
                        }
                    ]
                },
                "start_date": "20260819",
                "end_date": "20260908",
                "max_count": 100,
                "cursor": 0,
            }
        ]

    async def test_it_pages_within_a_month_and_goes_back_month_by_month(
        self, server: PaidServer
    ) -> None:
        server.routes[VIDEOS] = [
            data(videos=[video()], cursor=100, has_more=True, search_id="7"),
            data(videos=[video(7682837474828885293)], cursor=101, has_more=False, search_id="7"),
            data(videos=[], cursor=0, has_more=False),
            data(videos=[video(7600000000000000000)], cursor=1, has_more=False),
        ]
        report = await server.provider.discover(DEMO, since=NOW - timedelta(days=70), known=())
        assert (report.outcome, report.reached_known, len(report.videos)) == (Outcome.OK, True, 3)
        intervals = [(q["start_date"], q["end_date"], q["cursor"]) for q in queries(server)]
        assert intervals == [
            ("20260810", "20260908", 0),
            ("20260810", "20260908", 100),
            ("20260711", "20260809", 0),
            ("20260630", "20260710", 0),
        ]
        assert [q.get("search_id") for q in queries(server)] == [None, "7", None, None]

    async def test_it_stops_at_a_month_of_known_posts(self, server: PaidServer) -> None:
        server.routes[VIDEOS] = data(videos=[video()], cursor=1, has_more=False)
        known = [POST.platform_video_id]
        report = await server.provider.discover(DEMO, since=NOW - timedelta(days=700), known=known)
        assert (report.reached_known, len(queries(server))) == (True, 1)

    async def test_a_fetch_has_an_end_and_says_that_a_gap_is_left(self, server: PaidServer) -> None:
        server.routes[VIDEOS] = data(videos=[video()], cursor=100, has_more=True)
        report = await server.provider.discover(DEMO, since=SINCE, known=())
        assert (report.outcome, report.reached_known) == (Outcome.OK, False)
        assert len(queries(server)) == routes().videos.pages

    @pytest.mark.parametrize(
        "videos",
        [
            [video(username="somebody.else")],
            [video(view_count=None, like_count=None, comment_count=None)],
            [video(id=None)],
        ],
    )
    async def test_posts_of_others_and_without_counters_are_not_taken(
        self, server: PaidServer, videos: Any
    ) -> None:
        server.routes[VIDEOS] = data(videos=videos, cursor=1, has_more=False)
        report = await server.provider.discover(DEMO, since=SINCE, known=())
        assert (report.outcome, report.videos) == (Outcome.SCHEMA_CHANGED, ())

    async def test_what_was_seen_before_the_day_was_spent_is_kept(self, server: PaidServer) -> None:
        server.routes[VIDEOS] = [
            data(videos=[video()], cursor=100, has_more=True),
            error("daily_quota_limit_exceeded", 429),
        ]
        report = await server.provider.discover(DEMO, since=SINCE, known=())
        assert (report.outcome, len(report.videos)) == (Outcome.BUDGET_SPENT, 1)


class TestPost:
    async def test_a_reading(self, server: PaidServer) -> None:
        server.routes[VIDEOS] = data(videos=[video()], cursor=1, has_more=False)
        report = await server.provider.post(POST)
        assert (report.outcome, report.videos[0].view_count) == (Outcome.OK, 88_041)
        [body] = queries(server)
        assert body["query"]["and"][0]["field_values"] == [POST.platform_video_id]
        assert (body["start_date"], body["end_date"]) == ("20260906", "20261005")

    @pytest.mark.parametrize("videos", [[], [video(7682837474828885295)]])
    async def test_one_that_is_not_shown_says_nothing_of_the_post(
        self, server: PaidServer, videos: Any
    ) -> None:
        server.routes[VIDEOS] = data(videos=videos, cursor=1, has_more=False)
        report = await server.provider.post(POST)
        assert (report.outcome, report.videos) == (Outcome.OUT_OF_REACH, ())


class TestComments:
    async def test_a_crawl_counts_replies_and_leaves_them_out(self, server: PaidServer) -> None:
        server.routes[COMMENTS] = [
            data(comments=[comment(1), comment(2, parent_comment_id=1)], cursor=100, has_more=True),
            data(comments=[comment(3)], cursor=101, has_more=False),
        ]
        report = await server.provider.comments(POST)
        platform_comment_ids = [
            comment.platform_comment_id for comment in report.comment_crawl.comments
        ]
        assert (report.outcome, report.comment_crawl.is_complete, platform_comment_ids) == (
            Outcome.OK,
            True,
            ["1", "3"],
        )
        assert [request.body["cursor"] for request in server.asked if request.path == COMMENTS] == [
            0,
            100,
        ]

    async def test_a_list_as_long_as_the_api_shows_at_most_is_not_complete(
        self, server: PaidServer
    ) -> None:
        pages = routes().comments.pages
        server.routes[COMMENTS] = [
            data(comments=[comment(number)], cursor=100 * number, has_more=number < pages)
            for number in range(1, pages + 1)
        ]
        crawl = (await server.provider.comments(POST)).comment_crawl
        assert (len(crawl.comments), crawl.is_complete) == (pages, False)

    async def test_those_of_another_post_are_not_taken(self, server: PaidServer) -> None:
        server.routes[COMMENTS] = data(comments=[comment(1, video_id=5)], cursor=1, has_more=False)
        report = await server.provider.comments(replace(POST))
        assert (report.outcome, report.comment_crawl.comments) == (Outcome.SCHEMA_CHANGED, ())


@pytest.mark.parametrize("secret", [ACCESS, CLIENT.client_secret.get_secret_value()])
@pytest.mark.parametrize("status", [200, 400, 500])
async def test_secret_and_token_show_nowhere(
    server: PaidServer, secret: str, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.routes[USER] = Said(status, {"error": {"code": "x", "message": secret}})
    report = await server.provider.profile(DEMO)
    assert secret not in repr(report)
    assert secret not in caplog.text


async def test_a_token_without_a_known_end_shows_nowhere(server: PaidServer) -> None:
    server.routes[TOKEN] = {"access_token": ACCESS, "lasts": 7200}
    report = await server.provider.profile(DEMO)
    assert (report.outcome, "lasts" in repr(report)) == (Outcome.SCHEMA_CHANGED, True)
    assert ACCESS not in repr(report)
