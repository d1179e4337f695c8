"""Which failed requests are asked again, decided once, and how long to wait before that.

Most requests only read, so asking again is safe. One that sets something off is sent again only
where it surely did not arrive.
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
    """An answer whose status asks for another try: 429 or 5xx."""

    def __init__(self, status: int, *, sample: str) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status
        self.sample = sample


def is_retryable_status(status: int) -> bool:
    """Tell whether an answer with this status is worth another try."""
    return status == httpx.codes.TOO_MANY_REQUESTS or httpx.codes.is_server_error(status)


def backoff(error: Exception) -> bool | float:
    """Say whether to ask again; a number is the seconds to wait instead of the usual back-off.

    A 429 waits in the pacer, with everybody else, so no time is added to it here.
    """
    if isinstance(error, BadStatusError):
        return 0.0 if error.status == httpx.codes.TOO_MANY_REQUESTS else True
    return isinstance(error, _RETRYABLE_ERRORS)


def backoff_where_nothing_began(error: Exception) -> bool | float:
    """Say the same of a request that must not take effect twice: 'too many', or no connection."""
    if isinstance(error, BadStatusError):
        return error.status == httpx.codes.TOO_MANY_REQUESTS and backoff(error)
    return isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)


_caller = stamina.AsyncRetryingCaller(
    attempts=ATTEMPTS, timeout=None, wait_initial=0.5, wait_max=10.0, wait_jitter=1.0
)
patiently = _caller.on(backoff)
"""Await a callable, again after retryable failures, with growing, jittered waits between."""
once = stamina.AsyncRetryingCaller(attempts=1).on(backoff)
"""Await it once: where the last fetch was refused, another try would be too."""
at_most_once = _caller.on(backoff_where_nothing_began)
"""The same for what must not take effect twice."""
