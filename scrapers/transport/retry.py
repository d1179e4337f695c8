"""Which failed requests are retried, and after how long.

Most requests only read, so retries are safe. A request that starts something is retried only if it
surely did not arrive.
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


UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
"""Errors before anything of a request was sent."""


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


def backoff_where_nothing_began(error: Exception) -> bool | float:
    """Return the same for a request that must not take effect twice: 429, or no connection."""
    if isinstance(error, BadStatusError):
        return error.status == httpx.codes.TOO_MANY_REQUESTS and backoff(error)
    return isinstance(error, UNSENT)


_caller = stamina.AsyncRetryingCaller(
    attempts=ATTEMPTS, timeout=None, wait_initial=0.5, wait_max=10.0, wait_jitter=1.0
)
patiently = _caller.on(backoff)
"""Retries a callable after retryable failures, with growing, jittered waits."""
once = stamina.AsyncRetryingCaller(attempts=1).on(backoff)
"""Calls it once: after a refusal another try would be refused too."""
at_most_once = _caller.on(backoff_where_nothing_began)
"""Retries only what surely did not take effect."""
