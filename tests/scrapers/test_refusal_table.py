"""Thirty kinds of refusal: each is identified within one pipeline run and at most 20 requests."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import httpx
import pytest

from orchestration.scraping.fetches import Fetch
from orchestration.scraping.walls import behind_a_wall
from scrapers.instagram.provider import InstagramProvider
from scrapers.outcomes import Outcome
from scrapers.refusing import FetchLog
from scrapers.simulator.refusals import error_page, login_page
from scrapers.snapshots import AccountTarget, PostTarget
from scrapers.tiktok.provider import TikTokProvider
from scrapers.transport.pacing import Pace

pytestmark = pytest.mark.usefixtures("without_backoff")

NOW = datetime(2026, 9, 8, 12, tzinfo=UTC)
FETCHES, MOST = 60, 20


def page(status: int = 200, text: str = "<html></html>", **headers: str) -> httpx.Response:
    return httpx.Response(status, text=text, headers=headers)


def to(where: str) -> httpx.Response:
    return page(302, "", Location=where)


def tiktok(scope: dict[str, Any], head: str = "") -> httpx.Response:
    data = json.dumps({"__DEFAULT_SCOPE__": {"webapp.app-context": {"wid": "7"}, **scope}})
    mark = 'id="__UNIVERSAL_DATA_FOR_REHYDRATION__" type="application/json"'
    return page(text=f"<html>{head}<script {mark}>{data}</script></html>")


def user(code: int) -> httpx.Response:
    return tiktok({"webapp.user-detail": {"statusCode": code, "userInfo": {}}})


def post(code: int) -> httpx.Response:
    return tiktok({"webapp.video-detail": {"statusCode": code}})


def shell(made: Any) -> httpx.Response:
    return page(text=bytes(made.body).decode())


CHALLENGE = page(text='<p id="wci"></p>Please wait...<script>SlardarWAF</script>')
LOGIN = "https://www.tiktok.com/login?redirect_url=x"
KINDS = [
    ("tiktok", "profile", "challenge page", CHALLENGE, "challenged"),
    ("tiktok", "profile", "empty body", page(text=""), "blocked_silent"),
    ("tiktok", "profile", "page without data", page(), "blocked_silent"),
    ("tiktok", "profile", "403", page(403), "blocked_silent"),
    ("tiktok", "profile", "401", page(401), "login_required"),
    ("tiktok", "profile", "login redirect", to(LOGIN), "login_required"),
    (
        "tiktok",
        "profile",
        "login page with data",
        tiktok({}, "<title>Log in</title>"),
        "login_required",
    ),
    ("tiktok", "profile", "login status", user(10101), "login_required"),
    ("tiktok", "profile", "home redirect", to("/tiktok/"), "blocked_silent"),
    ("tiktok", "profile", "a region's page", to("/tiktok/hk/about"), "region_blocked"),
    ("tiktok", "profile", "another host", to("https://notice.example/"), "region_blocked"),
    ("tiktok", "profile", "451", page(451), "region_blocked"),
    ("tiktok", "profile", "404 for all", page(404), "blocked_silent"),
    ("tiktok", "profile", "10221 for all", user(10221), "blocked_silent"),
    ("tiktok", "profile", "another shape", tiktok({"webapp.user": {}}), "schema_changed"),
    ("tiktok", "profile", "418", page(418), "schema_changed"),
    ("tiktok", "profile", "503", page(503), "unreachable"),
    ("tiktok", "profile", "reset", httpx.ReadError("reset"), "unreachable"),
    ("tiktok", "post", "10204 for all", post(10204), "blocked_silent"),
    ("tiktok", "post", "challenge page", CHALLENGE, "challenged"),
    ("instagram", "profile", "login page", shell(login_page()), "login_required"),
    ("instagram", "profile", "login redirect", to("/instagram/accounts/login/"), "login_required"),
    ("instagram", "profile", "home redirect", to("/instagram/"), "login_required"),
    ("instagram", "profile", "challenge", to("/instagram/challenge/?next=x"), "challenged"),
    ("instagram", "profile", "error page for all", shell(error_page()), "blocked_silent"),
    ("instagram", "profile", "a region's page", to("/instagram/hk/about/"), "region_blocked"),
    ("instagram", "profile", "another host", to("https://notice.example/x"), "region_blocked"),
    ("instagram", "profile", "451", page(451), "region_blocked"),
    ("instagram", "profile", "500", page(500), "unreachable"),
    ("instagram", "post", "404 for all", page(404), "blocked_silent"),
]


class Site:
    """Gives each request the same answer and counts requests."""

    def __init__(self, answer: httpx.Response | Exception) -> None:
        self.answer = answer
        self.requests = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return httpx.Response(
            self.answer.status_code, content=self.answer.content, headers=self.answer.headers
        )


@pytest.mark.parametrize(
    ("platform", "kind", "answer", "outcome"),
    [(platform, kind, answer, outcome) for platform, kind, _, answer, outcome in KINDS],
    ids=[f"{platform} {kind}: {name}" for platform, kind, name, *_ in KINDS],
)
async def test_each_is_named_for_few_requests(
    fake_time: Any,
    closing: Callable[[Any], Any],
    *,
    platform: str,
    kind: str,
    answer: httpx.Response | Exception,
    outcome: str,
) -> None:
    site = Site(answer)
    made = TikTokProvider if platform == "tiktok" else InstagramProvider
    provider = closing(
        made(
            base_url=f"http://site.test/{platform}",
            pace=Pace(1, 10_000.0),
            clock=lambda: NOW,
            transport=httpx.MockTransport(site),
            sleep=fake_time.sleep,
        )
    )
    fetches = []
    for number in range(FETCHES):
        at = NOW + timedelta(seconds=number)
        handle, post_id = f"creator{number}", str(7682837474828885294 + number)
        account = AccountTarget(
            platform=platform,
            handle=handle,
            platform_user_id=str(number),
            platform_alt_id=f"MS4wLjABAAAA{number}",
            known_post=post_id,
        )
        item = PostTarget(
            platform=platform,
            platform_video_id=post_id,
            handle=handle,
            platform_user_id=str(number),
        )
        is_profile = kind == "profile"
        report = await (provider.profile(account) if is_profile else provider.post(item))
        fetches.append(
            Fetch(
                job_type="creator_profiles" if is_profile else "video_stats",
                target=account if is_profile else item,
                job_id=None,
                report=report,
                started_at=at,
                finished_at=at,
            )
        )
    ended = [fetch.report.outcome for fetch in behind_a_wall(fetches)]
    assert set(ended) == {Outcome(outcome)}
    assert site.requests <= MOST
    log = FetchLog()
    for number, ending in zip(count(), ended, strict=False):
        log.note(kind, ending, NOW + timedelta(seconds=number))
    refusal = log.refusal()
    assert refusal.outcome == outcome


async def test_one_account_that_is_gone_takes_its_posts_with_it(
    fake_time: Any, closing: Callable[[Any], Any]
) -> None:
    """Thirty missing posts of one account are not a wall: the provider requests each."""
    site = Site(post(10204))
    provider = closing(
        TikTokProvider(
            base_url="http://site.test/tiktok",
            pace=Pace(1, 10_000.0),
            clock=lambda: NOW,
            transport=httpx.MockTransport(site),
            sleep=fake_time.sleep,
        )
    )
    for number in range(30):
        item = PostTarget(
            platform="tiktok",
            platform_video_id=f"76828374748288852{number:02}",
            handle="gone",
            platform_user_id="5",
        )
        assert (await provider.post(item)).outcome is Outcome.POST_UNAVAILABLE
    assert site.requests == 30
