"""EnsembleData fetches always return a report and never expose the token.

A local server responds in the documented formats. Common behaviour of commercial providers is
tested in test_scrapecreators.py.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import SecretStr

from scrapers.outcomes import Outcome
from scrapers.registry import PAID, Account, UnknownProviderError, build_provider
from scrapers.snapshots import AccountTarget, PostTarget
from scrapers.transport.pacing import Pace
from tests.fixtures.paid import PaidServer, Purse, Reply

pytestmark = pytest.mark.usefixtures("without_backoff")

NOW = datetime(2026, 9, 8, 12, tzinfo=UTC)
SINCE = NOW - timedelta(days=900)
TOKEN = "inventedToken016"
NEW = AccountTarget(platform="tiktok", handle="demo.creator")
POST = PostTarget(platform="tiktok", platform_video_id="7682837474828885294", handle="demo.creator")
PATHS = {name: route.path for name, route in PAID["ensembledata"].tiktok.items()}

Payload = Callable[[str], Any]


def build(platform: str, base_url: str, purse: Purse, token: str = TOKEN) -> Any:
    return build_provider(
        platform,
        provider="ensembledata",
        base_url=base_url,
        pace=Pace(4, 10_000.0),
        clock=lambda: NOW,
        account=Account(key=SecretStr(token), budget=purse),
    )


@pytest.fixture
def server(server: PaidServer, closing: Callable[[Any], Any]) -> PaidServer:
    server.provider = closing(build("tiktok", server.base_url, server.purse))
    return server


@pytest.fixture
def recorded(payload: Payload) -> Payload:
    """Load an EnsembleData response: TikTok's app API, passed through."""

    def load(name: str) -> Any:
        known = payload(f"scrapecreators/tiktok_{name}.json")
        if name == "profile":
            return {"data": {"user": known["user"], "stats": known["stats"]}}
        if name == "post":
            return {"data": [known["aweme_detail"]]}
        if name == "comments":
            return {"data": {"comments": known["comments"], "total": 10}}
        follows = {"nextCursor": known["max_cursor"]} if known["has_more"] else {}
        return {"data": known["aweme_list"], **follows}

    return load


def test_instagram_is_not_read_by_routes_that_it_does_not_document() -> None:
    with pytest.raises(UnknownProviderError, match="'instagram' has no provider 'ensembledata'"):
        build("instagram", "http://127.0.0.1:9", Purse())


async def test_a_profile(server: PaidServer, recorded: Payload) -> None:
    server.routes = {PATHS["profile"]: recorded("profile")}
    report = await server.provider.profile(NEW)
    assert (report.outcome, report.source) == (Outcome.OK, "ensembledata.tiktok_profile")
    assert (report.account.follower_count, report.account.is_exact) == (4_100_000, False)
    assert server.requests[0].params == {"username": "demo.creator", "token": TOKEN}


async def test_posts_are_paged_to_the_end(server: PaidServer, recorded: Payload) -> None:
    server.routes = {PATHS["posts"]: [recorded("posts"), recorded("last_posts")]}
    target = replace(NEW, video_count=4)
    report = await server.provider.discover(
        target, since=datetime(2021, 1, 1, tzinfo=UTC), known=()
    )
    assert (report.outcome, report.reached_known, len(report.videos)) == (Outcome.OK, True, 4)
    assert {video.source for video in report.videos} == {"ensembledata.tiktok_posts"}
    first, second = (request.params for request in server.requests)
    assert first == {"username": "demo.creator", "depth": "1", "token": TOKEN}
    assert second == {**first, "start_cursor": "1788372000000"}


async def test_other_accounts_posts_are_ignored(server: PaidServer, recorded: Payload) -> None:
    server.routes = {PATHS["posts"]: recorded("posts")}
    somebody = replace(NEW, handle="somebody.else")
    report = await server.provider.discover(somebody, since=SINCE, known=())
    assert (report.outcome, report.videos) == (Outcome.SCHEMA_CHANGED, ())


async def test_a_post(server: PaidServer, recorded: Payload) -> None:
    server.routes = {PATHS["post"]: recorded("post")}
    report = await server.provider.post(POST)
    [video] = report.videos
    counts = (video.view_count, video.like_count, video.save_count, video.duration_seconds)
    assert counts == (141_567, 18_651, 274, 89)


@pytest.mark.parametrize("data", [[], {}, None])
async def test_a_missing_post_and_another_post_are_refused(
    server: PaidServer, recorded: Payload, data: Any
) -> None:
    server.routes = {PATHS["post"]: [{"data": data}, recorded("post")]}
    other = replace(POST, platform_video_id="7682837474828885295")
    for target in (POST, other):
        report = await server.provider.post(target)
        assert (report.outcome, report.videos) == (Outcome.SCHEMA_CHANGED, ())


async def test_comments_are_crawled_to_the_end(server: PaidServer, recorded: Payload) -> None:
    first, last = recorded("comments"), recorded("comments")
    first["data"]["nextCursor"] = 30
    last["data"]["comments"][0]["cid"] = "7683000000000000002"
    server.routes = {PATHS["comments"]: [first, last]}
    report = await server.provider.comments(POST)
    comment_crawl = report.comment_crawl
    assert (report.outcome, comment_crawl.is_complete, len(comment_crawl.comments)) == (
        Outcome.OK,
        True,
        2,
    )
    assert [request.params.get("cursor") for request in server.requests] == [None, "30"]
    assert comment_crawl.platform_comment_count == 10
    assert {comment.source for comment in comment_crawl.comments} == {
        "ensembledata.tiktok_comments"
    }


@pytest.mark.parametrize(
    ("status", "of_account", "of_post"),
    [
        (404, Outcome.NOT_FOUND, Outcome.POST_UNAVAILABLE),
        (463, Outcome.NOT_FOUND, Outcome.POST_UNAVAILABLE),
        (471, Outcome.GATED, Outcome.GATED),
        (472, Outcome.PRIVATE, Outcome.PRIVATE),
        (473, Outcome.NOT_FOUND, Outcome.POST_UNAVAILABLE),
        (474, Outcome.NOT_FOUND, Outcome.POST_UNAVAILABLE),
        (491, Outcome.LOGIN_REQUIRED, Outcome.LOGIN_REQUIRED),
        (492, Outcome.LOGIN_REQUIRED, Outcome.LOGIN_REQUIRED),
        (493, Outcome.BUDGET_SPENT, Outcome.BUDGET_SPENT),
        (495, Outcome.BUDGET_SPENT, Outcome.BUDGET_SPENT),
        (520, Outcome.GATED, Outcome.GATED),
        (422, Outcome.SCHEMA_CHANGED, Outcome.SCHEMA_CHANGED),
        (500, Outcome.UNREACHABLE, Outcome.UNREACHABLE),
    ],
)
async def test_its_own_statuses_are_named(
    server: PaidServer, status: int, of_account: Outcome, of_post: Outcome
) -> None:
    answer = Reply(status, {"detail": "so it is"})
    server.routes = {PATHS["profile"]: answer, PATHS["post"]: answer}
    account, post = await server.provider.profile(NEW), await server.provider.post(POST)
    assert (account.outcome, post.outcome) == (of_account, of_post)
    assert (account.account, post.videos) == (None, ())
    assert (len(server.requests) > 2) is (status == 500)  # only faults are retried


async def test_the_cost_in_the_header_is_charged(server: PaidServer, recorded: Payload) -> None:
    server.routes = {PATHS["profile"]: Reply(200, recorded("profile"), {"units_charged": "4"})}
    assert (await server.provider.profile(NEW)).outcome is Outcome.OK
    assert server.purse.authorized == [1, 3]


@pytest.mark.parametrize(
    "answer",
    [Reply(491, {"detail": f"no {TOKEN}"}), Reply(200, TOKEN), Reply(500, TOKEN), Reply(200, "{}")],
)
async def test_the_token_is_never_shown(
    server: PaidServer, answer: Reply, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.routes = {PATHS["profile"]: answer}
    report = await server.provider.profile(NEW)
    assert "HTTP Request" in caplog.text
    assert TOKEN not in repr(report)
    assert TOKEN not in caplog.text


async def test_a_token_that_urls_escape_is_never_shown(
    server: PaidServer, caplog: pytest.LogCaptureFixture, closing: Callable[[Any], Any]
) -> None:
    caplog.set_level(logging.DEBUG)
    built = closing(build("tiktok", server.base_url, server.purse, "invented+Token/016="))
    body = {"detail": "no ?token=invented%2BToken%2F016%3D"}
    server.routes = {PATHS["profile"]: Reply(491, body)}
    report = await built.profile(NEW)
    assert "HTTP Request" in caplog.text
    assert "invented" not in repr(report) + caplog.text
