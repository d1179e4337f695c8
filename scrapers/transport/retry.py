"""Which failed requests are retried, and after how long.

Requests only read, so retries are safe.
"""

import httpx
import stamina

ATTEMPTS = 3

_RETRYABLE_ERRORS = (
    httpx.TimeoutException,
    httpx.NetworkError,
    httpx.RemoteProtocolError,
    TimeoutError,
)


class BadStatusError(Exception):
    """A response whose status is worth a retry: 429 or 5xx."""

    def __init__(self, status: int, *, sample: str) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status
        self.sample = sample


def is_retryable_status(status: int) -> bool:
    return status == httpx.codes.TOO_MANY_REQUESTS or httpx.codes.is_server_error(status)


def backoff(error: Exception) -> bool | float:
    """Return whether to retry; a number is the wait in seconds instead of the usual backoff.

    A 429 waits in the pacer with all others, so no time is added here.
    """
    if isinstance(error, BadStatusError):
        return 0.0 if error.status == httpx.codes.TOO_MANY_REQUESTS else True
    return isinstance(error, _RETRYABLE_ERRORS)


_caller = stamina.AsyncRetryingCaller(
    attempts=ATTEMPTS, timeout=None, wait_initial=0.5, wait_max=10.0, wait_jitter=1.0
)
patiently = _caller.on(backoff)
"""Retries a callable after retryable failures, with growing, jittered waits."""
once = stamina.AsyncRetryingCaller(attempts=1).on(backoff)
"""Calls it once: after a refusal another try would be refused too."""
