"""A platform that repeats the token in its answer: nothing that is kept of it holds the token."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from scrapers.instagram_login.provider import InstagramLoginProvider
from scrapers.outcomes import Outcome
from scrapers.snapshots import AccountTarget
from scrapers.transport.pacing import Pace
from tests.scrapers.connected.test_allowances import QUIET, TwoTokens

pytestmark = pytest.mark.usefixtures("without_backoff")

NOW = datetime(2026, 9, 8, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (400, Outcome.SCHEMA_CHANGED),
        (429, Outcome.RATE_LIMITED),
        (502, Outcome.UNREACHABLE),
    ],
)
async def test_a_refusal_that_repeats_the_request_is_kept_without_the_token(
    fake_time: Any, closing: Callable[[Any], Any], status: int, outcome: Outcome
) -> None:
    def repeat(request: httpx.Request) -> httpx.Response:
        return httpx.Response(status, text=f'{{"sent": "{request.headers["Authorization"]}"}}')

    provider = closing(
        InstagramLoginProvider(
            base_url="https://graph.example",
            pace=Pace(1, 1000.0),
            clock=lambda: NOW,
            tokens=TwoTokens(),
            transport=httpx.MockTransport(repeat),
            sleep=fake_time.sleep,
        )
    )
    report = await provider.profile(AccountTarget(platform="instagram", handle=QUIET))
    assert (report.outcome, report.raw_sample) == (outcome, '{"sent": "Bearer (secret)"}')
