"""Fetches through the official API always return a report and never expose the token."""

import json
import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from scrapers.instagram_graph import parse
from scrapers.instagram_graph.provider import InstagramGraphProvider
from scrapers.outcomes import Outcome
from scrapers.provider import Credentials
from scrapers.refusing import HALF
from scrapers.snapshots import AccountTarget, DuePost, PostTarget
from scrapers.transport.pacing import Pace
from scrapers.urls.shortcode import uploaded_at

pytestmark = pytest.mark.usefixtures("without_backoff")

NOW = datetime(2026, 9, 8, 12, tzinfo=UTC)
SINCE = NOW - timedelta(days=900)
TOKEN = "EAAinventedSecretToken0123456789"
REEL, CAROUSEL, PHOTO = "3981064899117325116", "3979005160306369089", "3961335228643009089"
NEW = AccountTarget(platform="instagram", handle="demo.creator")
KNOWN = replace(NEW, platform_user_id="67000000001", platform_alt_id="17841460000000001")
UNKNOWN_USER = {"message": "Invalid user id", "code": 110, "error_subcode": 2207013}
LIMIT = {"message": "(#4) Application request limit reached", "code": 4}
NEARLY_SPENT = {"X-App-Usage": json.dumps({"call_count": 97, "total_cputime": 3, "total_time": 4})}
BAD_TOKEN = {"message": f"Malformed access token {TOKEN}", "code": 190}

Payload = Callable[[str], Any]


class Graph:
    """Returns its answers in turn, then repeats the last one."""

    provider: InstagramGraphProvider

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, httpx.Response | Exception):
            return raised(answer)
        return httpx.Response(400 if "error" in answer else 200, json=answer)

    @property
    def fields(self) -> list[str]:
        return [request.url.params["fields"] for request in self.requests]


def raised(answer: httpx.Response | Exception) -> httpx.Response:
    if isinstance(answer, Exception):
        raise answer
    return answer


@pytest.fixture
def graph(closing: Callable[[Any], Any], fake_time: Any) -> Graph:
    graph = Graph()
    graph.provider = closing(
        InstagramGraphProvider(
            base_url="http://127.0.0.1:9000/graph",
            pace=Pace(4, 1000.0),
            clock=lambda: NOW,
            credentials=Credentials(user_id="17841400000000000", access_token=SecretStr(TOKEN)),
            transport=httpx.MockTransport(graph),
            sleep=fake_time.sleep,
        )
    )
    return graph


@pytest.fixture
def page(payload: Payload) -> Any:
    return payload("instagram_graph/page.json")


@pytest.fixture
def last_page(payload: Payload) -> Any:
    return payload("instagram_graph/last_page.json")


@pytest.fixture
def profile(page: Any) -> Any:
    del page["business_discovery"]["media"]
    return page


@pytest.fixture
def one_page_a_fetch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit discoveries to one page."""
    route = parse.routes().discovery.model_copy(update={"pages": 1})
    shorter = parse.routes().model_copy(update={"discovery": route})
    monkeypatch.setattr(parse, "routes", lambda: shorter)


class TestProfile:
    async def test_a_reading(self, graph: Graph, profile: Any) -> None:
        graph.answers = [profile]
        report = await graph.provider.profile(NEW)
        assert (report.outcome, report.source) == (Outcome.OK, "instagram.business_discovery")
        assert (report.account.follower_count, report.account.captured_at) == (51234, NOW)

    async def test_the_request_is_the_documented_one_with_the_token_in_a_header(
        self, graph: Graph, profile: Any
    ) -> None:
        graph.answers = [profile]
        await graph.provider.profile(NEW)
        sent = graph.requests[0]
        assert sent.url.path == "/graph/v26.0/17841400000000000"
        fields = (
            "business_discovery.username(demo.creator)"
            "{id,ig_id,username,biography,website,followers_count,media_count,"
            "name,follows_count,profile_picture_url}"
        )
        assert graph.fields == [fields]
        assert sent.headers["Authorization"] == f"Bearer {TOKEN}"
        assert sent.headers["User-Agent"].startswith("creator-tracker/")
        assert TOKEN not in str(sent.url)

    @pytest.mark.parametrize("code", [10, 100, 200])
    async def test_a_refused_field_does_not_refuse_the_account(
        self, graph: Graph, profile: Any, code: int
    ) -> None:
        """The provider retries once without the uncertain fields, then always omits them."""
        for field in ("name", "follows_count", "profile_picture_url"):
            del profile["business_discovery"][field]
        refused = {"error": {"message": "(#100) follows_count", "code": code}}
        graph.answers = [refused, profile, profile]
        first, second = [await graph.provider.profile(NEW) for _ in range(2)]
        assert (first.outcome, second.outcome) == (Outcome.OK, Outcome.OK)
        assert (first.account.follower_count, first.account.following_count) == (51234, None)
        assert ["follows_count" in fields for fields in graph.fields] == [True, False, False]

    @pytest.mark.parametrize(
        ("answer", "outcome"),
        [
            ({"error": UNKNOWN_USER}, Outcome.OUT_OF_REACH),
            ({"error": LIMIT}, Outcome.RATE_LIMITED),
            ({"error": BAD_TOKEN}, Outcome.LOGIN_REQUIRED),
            ({"error": {"message": "x", "code": 4711}}, Outcome.SCHEMA_CHANGED),
            ({"id": "17841400000000000"}, Outcome.SCHEMA_CHANGED),
            (httpx.Response(200), Outcome.BLOCKED_SILENT),
            (httpx.Response(429), Outcome.RATE_LIMITED),
            (httpx.Response(503), Outcome.UNREACHABLE),
            (httpx.ConnectError("refused"), Outcome.UNREACHABLE),
        ],
    )
    async def test_endings(self, graph: Graph, answer: Any, outcome: Outcome) -> None:
        graph.answers = [answer]
        report = await graph.provider.profile(NEW)
        assert (report.outcome, report.account) == (outcome, None)
        assert report.detail

    async def test_a_handle_passed_on_to_another_account_is_not_read_as_the_old_one(
        self, graph: Graph, profile: Any
    ) -> None:
        profile["business_discovery"]["ig_id"] = 5
        graph.answers = [profile]
        report = await graph.provider.profile(KNOWN)
        assert (report.outcome, report.account) == (Outcome.NOT_FOUND, None)

    @pytest.mark.parametrize("handle", ["x){id},me{x", "", "a b", "é", "a" * 31])
    async def test_an_invalid_handle_is_not_requested(self, graph: Graph, handle: str) -> None:
        report = await graph.provider.profile(replace(NEW, handle=handle))
        assert report.outcome is Outcome.NOT_FOUND
        assert graph.requests == []


class TestDiscover:
    async def discover(self, provider: InstagramGraphProvider, **changes: Any) -> Any:
        return await provider.discover(KNOWN, **{"since": SINCE, "known": (), **changes})

    async def test_it_pages_by_cursors_to_the_end(
        self, graph: Graph, page: Any, last_page: Any
    ) -> None:
        page["business_discovery"]["media_count"] = 3
        graph.answers = [page, last_page]
        report = await self.discover(graph.provider)
        assert (report.outcome, report.reached_known) == (Outcome.OK, True)
        assert [video.platform_video_id for video in report.videos] == [REEL, CAROUSEL, PHOTO]
        assert report.account.display_name == "Demo Creator"
        first, second = graph.fields
        media = "id,caption,media_type,media_product_type,media_url,thumbnail_url,permalink,"
        assert f",media.limit(50){{{media}timestamp,like_count,comments_count," in first
        assert f",media.limit(50).after(QVFb){{{media}" in second

    @pytest.mark.parametrize(("oldest", "pages"), [(CAROUSEL, 1), (PHOTO, 2)])
    async def test_it_goes_back_to_the_oldest_due_post(
        self, graph: Graph, page: Any, last_page: Any, oldest: str, pages: int
    ) -> None:
        graph.answers = [page, last_page]
        target = replace(KNOWN, due=(DuePost(oldest, uploaded_at(oldest)),))
        await graph.provider.discover(target, since=NOW, known=(REEL, CAROUSEL, PHOTO))
        assert len(graph.requests) == pages

    @pytest.mark.usefixtures("one_page_a_fetch")
    async def test_a_fetch_that_was_too_short_reports_a_possible_gap(
        self, graph: Graph, page: Any
    ) -> None:
        graph.answers = [page]
        report = await self.discover(graph.provider)
        assert (report.outcome, report.reached_known) == (Outcome.OK, False)
        assert len(report.videos) == 2

    async def test_results_before_a_failure_are_returned(self, graph: Graph, page: Any) -> None:
        graph.answers = [page, {"error": LIMIT}]
        report = await self.discover(graph.provider)
        assert (report.outcome, report.reached_known) == (Outcome.RATE_LIMITED, False)
        assert report.account is not None
        assert len(report.videos) == 2

    async def test_an_account_without_posts(self, graph: Graph, profile: Any) -> None:
        profile["business_discovery"]["media_count"] = 0
        graph.answers = [profile]
        report = await self.discover(graph.provider)
        assert (report.outcome, report.reached_known, report.videos) == (Outcome.OK, True, ())

    async def test_an_empty_list_of_an_account_with_posts_is_a_refusal(
        self, graph: Graph, profile: Any
    ) -> None:
        graph.answers = [profile]
        report = await self.discover(graph.provider)
        assert (report.outcome, report.reached_known) == (Outcome.BLOCKED_SILENT, False)

    async def test_posts_of_a_handles_next_owner_are_ignored(self, graph: Graph, page: Any) -> None:
        page["business_discovery"]["ig_id"] = 5
        graph.answers = [page]
        report = await self.discover(graph.provider)
        assert (report.outcome, report.account, report.videos) == (Outcome.NOT_FOUND, None, ())


class TestPost:
    def target(self, pk: str = PHOTO, handle: str | None = "demo.creator") -> PostTarget:
        return PostTarget(platform="instagram", platform_video_id=pk, handle=handle)

    async def test_it_is_found_on_its_accounts_pages(
        self, graph: Graph, page: Any, last_page: Any
    ) -> None:
        graph.answers = [page, last_page]
        report = await graph.provider.post(self.target())
        assert report.outcome is Outcome.OK
        assert [(v.platform_video_id, v.like_count) for v in report.videos] == [(PHOTO, 5)]

    async def test_a_post_missing_at_its_place_is_unavailable(
        self, graph: Graph, page: Any
    ) -> None:
        deleted = str(int(CAROUSEL) + 10**12)
        graph.answers = [page]
        report = await graph.provider.post(self.target(deleted))
        assert (report.outcome, report.videos) == (Outcome.POST_UNAVAILABLE, ())
        assert len(graph.requests) == 1

    @pytest.mark.parametrize(
        ("listed", "in_profile", "outcome"),
        [
            (0, 428, Outcome.OUT_OF_REACH),
            (0, None, Outcome.OUT_OF_REACH),
            (2, 428, Outcome.OUT_OF_REACH),
            (2, 2, Outcome.POST_UNAVAILABLE),
            (0, 0, Outcome.POST_UNAVAILABLE),
        ],
    )
    async def test_a_post_is_not_unavailable_if_the_list_ended_early(
        self, graph: Graph, page: Any, listed: int, in_profile: int | None, outcome: Outcome
    ) -> None:
        account = page["business_discovery"]
        account["media_count"] = in_profile
        account["media"] = {"data": account["media"]["data"][:listed]}
        graph.answers = [page]
        report = await graph.provider.post(self.target())
        assert (report.outcome, report.videos) == (outcome, ())

    async def test_a_post_that_may_be_unreadable_is_not_unavailable(
        self, graph: Graph, page: Any
    ) -> None:
        page["business_discovery"]["media"]["data"][0]["permalink"] = None
        graph.answers = [page]
        report = await graph.provider.post(self.target(str(int(CAROUSEL) + 10**12)))
        assert (report.outcome, report.videos) == (Outcome.OUT_OF_REACH, ())

    async def test_without_a_handle_there_is_no_request(self, graph: Graph) -> None:
        report = await graph.provider.post(self.target(handle=None))
        assert (report.outcome, graph.requests) == (Outcome.OUT_OF_REACH, [])
        assert "handle" in str(report.detail)

    async def test_a_hidden_account_says_nothing_about_its_post(self, graph: Graph) -> None:
        graph.answers = [{"error": UNKNOWN_USER}]
        report = await graph.provider.post(self.target())
        assert report.outcome is Outcome.OUT_OF_REACH
        assert "professional account" in str(report.detail)
        assert report.http_status == 400

    @pytest.mark.usefixtures("one_page_a_fetch")
    async def test_a_post_beyond_a_fetchs_reach_is_not_missing(
        self, graph: Graph, page: Any
    ) -> None:
        graph.answers = [page]
        assert (await graph.provider.post(self.target())).outcome is Outcome.OUT_OF_REACH


class TestAllowance:
    async def test_near_the_limit_requests_stop_and_results_are_returned(
        self, graph: Graph, page: Any
    ) -> None:
        graph.answers = [httpx.Response(200, json=page, headers=NEARLY_SPENT)]
        report = await graph.provider.discover(KNOWN, since=SINCE, known=())
        assert (report.outcome, len(report.videos)) == (Outcome.RATE_LIMITED, 2)
        assert "not sent" in str(report.detail)
        assert (await graph.provider.profile(NEW)).outcome is Outcome.RATE_LIMITED
        assert len(graph.requests) == 1

    async def test_a_refusal_pauses_the_api(self, graph: Graph) -> None:
        graph.answers = [{"error": LIMIT}]
        for _ in range(3):
            assert (await graph.provider.profile(NEW)).outcome is Outcome.RATE_LIMITED
        assert len(graph.requests) == 1

    async def test_a_refused_token_is_not_retried_for_ever(self, graph: Graph) -> None:
        graph.answers = [{"error": BAD_TOKEN}]
        for _ in range(HALF + 5):
            assert (await graph.provider.profile(NEW)).outcome is Outcome.LOGIN_REQUIRED
        assert len(graph.requests) == HALF


class TestToken:
    @pytest.mark.parametrize(
        "answer",
        [
            {"error": BAD_TOKEN},
            httpx.Response(200, text=f"<html>{TOKEN}</html>"),
            httpx.Response(200, text="x" * 1990 + TOKEN),
            httpx.Response(503, text=f"{TOKEN} {TOKEN}"),
            httpx.Response(429, text="y" * 1990 + TOKEN),
            {"business_discovery": {"username": TOKEN, "next": f"https://x/?access_token={TOKEN}"}},
        ],
    )
    async def test_it_is_in_no_report_and_no_log(
        self, graph: Graph, answer: Any, caplog: pytest.LogCaptureFixture
    ) -> None:
        graph.answers = [answer]
        with caplog.at_level(logging.DEBUG):
            report = await graph.provider.profile(NEW)
        assert report.outcome is not Outcome.OK
        assert "GET" in caplog.text
        for text in (repr(report), caplog.text, repr(graph.provider)):
            assert TOKEN[:9] not in text

    def test_it_is_not_in_the_credentials_repr(self) -> None:
        assert TOKEN not in repr(Credentials(user_id="1", access_token=SecretStr(TOKEN)))

    @pytest.mark.parametrize("token", [f"{TOKEN}\n", f"{TOKEN} x", f"{TOKEN}é"])
    def test_an_invalid_header_value_is_refused_without_showing_it(self, token: str) -> None:
        with pytest.raises(ValueError, match="the access token must be ASCII") as error:
            Credentials(user_id="1", access_token=SecretStr(token))
        assert TOKEN not in str(error.value)
