"""No stored outcome contains the token, even if the platform repeats it in its response."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from scrapers.outcomes import Outcome
from scrapers.snapshots import AccountTarget
from tests.scrapers.connected.test_allowances import QUIET, login_provider

pytestmark = pytest.mark.usefixtures("without_backoff")


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (400, Outcome.SCHEMA_CHANGED),
        (429, Outcome.RATE_LIMITED),
        (502, Outcome.UNREACHABLE),
    ],
)
async def test_a_refusal_that_repeats_the_request_is_stored_without_the_token(
    fake_time: Any, closing: Callable[[Any], Any], status: int, outcome: Outcome
) -> None:
    def repeat(request: httpx.Request) -> httpx.Response:
        return httpx.Response(status, text=f'{{"sent": "{request.headers["Authorization"]}"}}')

    provider = closing(login_provider(repeat, fake_time))
    report = await provider.profile(AccountTarget(platform="instagram", handle=QUIET))
    assert (report.outcome, report.raw_sample) == (outcome, '{"sent": "Bearer (secret)"}')
