"""What is asked again, and after which wait, is one decision."""

import httpx
import pytest

from scrapers.outcomes import Outcome, ScrapeError
from scrapers.transport.pacing import HostPausedError
from scrapers.transport.retry import BadStatusError, backoff, is_retryable_status


@pytest.mark.parametrize(
    ("error", "decision"),
    [
        (httpx.ConnectError("refused"), True),
        (httpx.ReadTimeout("slow"), True),
        (httpx.ReadError("reset"), True),
        (httpx.RemoteProtocolError("cut off"), True),
        (TimeoutError(), True),
        (BadStatusError(503, sample=""), True),
        (httpx.UnsupportedProtocol("gopher"), False),
        (httpx.DecodingError("no gzip"), False),
        (HostPausedError(900), False),
        (ScrapeError(Outcome.CHALLENGED, "challenge page"), False),
        (ValueError("a bug"), False),
    ],
)
def test_passing_faults_are_worth_another_try(error: Exception, *, decision: bool) -> None:
    assert backoff(error) is decision


def test_a_rate_limit_waits_with_everybody_in_the_pacer_and_not_here() -> None:
    decision = backoff(BadStatusError(429, sample=""))
    assert decision is not False
    assert decision == 0.0
    assert not isinstance(decision, bool)


@pytest.mark.parametrize(
    ("status", "retryable"),
    [(200, False), (302, False), (400, False), (403, False), (404, False), (429, True)]
    + [(status, True) for status in (500, 502, 503, 504, 520, 599)],
)
def test_statuses(status: int, *, retryable: bool) -> None:
    assert is_retryable_status(status) is retryable
