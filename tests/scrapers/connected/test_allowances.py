"""Rate limits: an account's pauses its connection in every process, the app's pauses all."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from pydantic import SecretStr

from scrapers.consent.tokens import Token
from scrapers.instagram_login.provider import InstagramLoginProvider
from scrapers.outcomes import Outcome
from scrapers.snapshots import AccountTarget, ScrapeReport
from scrapers.transport.hosts import MemoryKeeper
from scrapers.transport.pacing import Pace

pytestmark = pytest.mark.usefixtures("without_backoff")

NOW = datetime(2026, 9, 8, 12, tzinfo=UTC)
METER = {"call_count": 100, "total_cputime": 9, "total_time": 9}
BUSY, QUIET = "busy.creator", "quiet.creator"
SUBJECTS = {BUSY: "17841400000000000", QUIET: "17841400000000001"}


class TwoTokens:
    """Tokens of two connected creators."""

    def __init__(self) -> None:
        self.connections: dict[str, UUID] = {BUSY: uuid4(), QUIET: uuid4()}

    async def has(self, handle: str, _user_id: str | None) -> bool:
        return handle in self.connections

    async def of(self, handle: str, _user_id: str | None) -> Token:
        access = SecretStr(f"token-of-{handle}")
        return Token(
            connection_id=self.connections[handle], subject=SUBJECTS[handle], access=access
        )

    async def renewed(self, token: Token) -> Token:
        raise AssertionError("no token was refused")

    async def note_refusal(self, token: Token) -> None:
        raise AssertionError("no token was refused")

    async def note_success(self, token: Token) -> None:
        raise AssertionError("no token was refused before")


class Api:
    """Returns the token's profile, for the busy creator with `headers` or `error_code`."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.headers: dict[str, str] = {}
        self.error_code: int | None = None

    def __call__(self, request: httpx.Request) -> httpx.Response:
        handle = request.headers["Authorization"].removeprefix("Bearer token-of-")
        self.asked.append(handle)
        if handle == BUSY and self.error_code is not None:
            error = {"code": self.error_code, "message": "limit reached"}
            return httpx.Response(400, json={"error": error}, headers=self.headers)
        profile = {"user_id": SUBJECTS[handle], "username": handle, "followers_count": 7}
        return httpx.Response(200, json=profile, headers=self.headers if handle == BUSY else {})


def login_provider(
    answer: Callable[[httpx.Request], httpx.Response], fake_time: Any, **changes: Any
) -> InstagramLoginProvider:
    """Return a provider for both creators; `answer` handles its requests."""
    parts = {"pace": Pace(1, 1000.0), "tokens": TwoTokens(), **changes}
    return InstagramLoginProvider(
        base_url="https://graph.example",
        clock=lambda: NOW,
        transport=httpx.MockTransport(answer),
        sleep=fake_time.sleep,
        **parts,
    )


@pytest.fixture
def api() -> Api:
    return Api()


@pytest.fixture
def provider_of(
    api: Api, fake_time: Any, closing: Callable[[Any], Any]
) -> Callable[[], InstagramLoginProvider]:
    """Return a factory of providers, one per process, that share tokens and a keeper."""
    keeper, tokens = MemoryKeeper(fake_time.now), TwoTokens()

    def build() -> InstagramLoginProvider:
        provider: InstagramLoginProvider = closing(
            login_provider(api, fake_time, tokens=tokens, pace=Pace(1, 1000.0, keeper))
        )
        return provider

    return build


async def fetched(provider: InstagramLoginProvider, handle: str) -> ScrapeReport:
    return await provider.profile(AccountTarget(platform="instagram", handle=handle))


def usage_of_account(minutes: int) -> dict[str, str]:
    meter = METER | {"type": "instagram", "estimated_time_to_regain_access": minutes}
    return {"x-business-use-case-usage": json.dumps({SUBJECTS[BUSY]: [meter]})}


async def test_one_account_at_its_limit_stops_no_other(
    api: Api, provider_of: Callable[[], InstagramLoginProvider], fake_time: Any
) -> None:
    api.headers = usage_of_account(55)
    here = provider_of()
    assert (await fetched(here, BUSY)).outcome is Outcome.OK
    assert (await fetched(here, QUIET)).outcome is Outcome.OK
    paused = await fetched(here, BUSY)
    assert (paused.outcome, paused.wait_seconds) == (Outcome.RATE_LIMITED, None)
    assert "the account's rate limit is used up for another" in str(paused.detail)
    assert api.asked == [BUSY, QUIET]
    assert max(fake_time.slept, default=0.0) < 1
    fake_time.seconds += 55 * 60
    assert (await fetched(provider_of(), BUSY)).outcome is Outcome.OK


async def test_another_process_sees_the_pause_before_its_request(
    api: Api, provider_of: Callable[[], InstagramLoginProvider]
) -> None:
    api.headers = usage_of_account(55)
    here = provider_of()
    await fetched(here, BUSY)
    await fetched(here, QUIET)
    other = provider_of()
    assert (await fetched(other, BUSY)).outcome is Outcome.RATE_LIMITED
    assert (await fetched(other, QUIET)).outcome is Outcome.OK
    assert api.asked == [BUSY, QUIET, QUIET]


async def test_an_error_of_one_accounts_limit_pauses_its_connection(
    api: Api, provider_of: Callable[[], InstagramLoginProvider], fake_time: Any
) -> None:
    api.error_code = 80002
    here = provider_of()
    assert (await fetched(here, BUSY)).outcome is Outcome.RATE_LIMITED
    assert (await fetched(here, BUSY)).outcome is Outcome.RATE_LIMITED
    assert (await fetched(here, QUIET)).outcome is Outcome.OK
    assert api.asked == [BUSY, QUIET]
    assert max(fake_time.slept, default=0.0) < 1
    fake_time.seconds += 30
    await fetched(provider_of(), BUSY)
    assert api.asked == [BUSY, QUIET, BUSY]


@pytest.mark.parametrize("by_header", [True, False])
async def test_the_apps_limit_pauses_the_host(
    api: Api,
    provider_of: Callable[[], InstagramLoginProvider],
    fake_time: Any,
    *,
    by_header: bool,
) -> None:
    api.headers = {"x-app-usage": json.dumps(METER)} if by_header else {}
    api.error_code = None if by_header else 4
    here = provider_of()
    await fetched(here, BUSY)
    report = await fetched(here, QUIET)
    if by_header:
        assert report.outcome is Outcome.RATE_LIMITED
        assert report.wait_seconds == pytest.approx(300, abs=1)
    else:
        assert sum(fake_time.slept) == pytest.approx(30, abs=0.1)
