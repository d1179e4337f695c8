"""The HTTP client of one platform's host: paced, patient, bounded, and honest about itself.

Pauses hold for the whole host; a `route` is what is refused and left alone apart from the others.

It says nothing about what a platform means by an answer: 2xx, 3xx and 4xx other than 429 are
handed back as they are. Redirects are shown, never followed.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from typing import Any
from urllib.parse import urlsplit

import httpx
from stamina import BoundAsyncRetryingCaller

from scrapers.identity import USER_AGENT
from scrapers.outcomes import MISSING, Outcome, ScrapeError
from scrapers.refusing import NOT_THERE
from scrapers.transport.answer import LARGEST_BODY, Answer, read_answer, retry_after
from scrapers.transport.breaker import BackingOffError, Breaker
from scrapers.transport.connections import Connections
from scrapers.transport.hosts import Host, MemoryKeeper, Now
from scrapers.transport.pacing import HostPausedError, Pace, Pacer, Sleep
from scrapers.transport.retry import (
    BadStatusError,
    at_most_once,
    is_retryable_status,
    once,
    patiently,
)

USUAL_PAUSE = 30.0
"""Seconds a host is left alone after it said 'too many' without saying for how long."""

RequestedPause = Callable[[Mapping[str, str]], float]
"""Reads off an answer's headers for how many seconds they ask to be left alone; 0 for none."""

Authorize = Callable[[str], Awaitable[None]]
"""Awaited with the route before each request, repeated ones too. Raises ScrapeError where the
request may not be sent."""

_DEADLINE = 60.0
"""Seconds for a whole answer, so that one sent drop by drop cannot hold a slot for ever."""
_HEADERS = {"User-Agent": USER_AGENT, "Accept-Encoding": "gzip, deflate"}


def no_requested_pause(_headers: Mapping[str, str]) -> float:
    """Read nothing: most hosts ask for a pause by 429 and Retry-After alone."""
    return 0.0


async def authorize_all(_route: str) -> None:
    """Admit every request: most hosts cost nothing."""


class HttpClient:
    """Asks one host. Belongs to the event loop it is first used in; close it there.

    `base_url` may carry a path, under which all routes lie. `secrets` are what the headers hold and
    no answer may repeat, nor may it repeat a request's bearer token. `usual_pause` is in seconds.
    `final_statuses` are those of 5xx with which a host answers for good. `transport`, `sleep` and
    `now` are there to be replaced.
    """

    def __init__(
        self,
        *,
        base_url: str,
        pace: Pace,
        headers: Mapping[str, str],
        secrets: Collection[str] = (),
        usual_pause: float = USUAL_PAUSE,
        requested_pause: RequestedPause = no_requested_pause,
        authorize: Authorize = authorize_all,
        final_statuses: Collection[int] = (),
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Sleep = asyncio.sleep,
        now: Now = time.monotonic,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._secrets = secrets
        self._usual_pause = usual_pause
        self._requested_pause = requested_pause
        self._authorize = authorize
        self._sent = pace.sent
        self._final_statuses = final_statuses
        host = Host(pace.keeper or MemoryKeeper(now), _name_of(base_url), now)
        self._pacer = Pacer(pace, host, sleep=sleep)
        self._breaker_of = cache(partial(Breaker, host))
        self._connections = Connections({**headers, **_HEADERS}, transport)

    async def get(
        self,
        path: str,
        *,
        route: str = "",
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        largest: int = LARGEST_BODY,
    ) -> Answer:
        """Ask for `path` under the base URL. Raises ScrapeError: unreachable or rate_limited.

        `largest` bounds the bytes of the body.
        """
        return await self._ask("GET", path, route, largest=largest, params=params, headers=headers)

    async def post(
        self,
        path: str,
        *,
        route: str = "",
        form: Mapping[str, str] | None = None,
        body: object = None,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send a form, or else a body as JSON, that only reads. Raises as `get` does."""
        sent: dict[str, Any] = {"json": body} if form is None else {"data": dict(form)}
        return await self._ask("POST", path, route, params=params, headers=headers, **sent)

    async def start(
        self,
        path: str,
        *,
        route: str = "",
        params: Mapping[str, str] | None = None,
        body: object,
        seconds: float = _DEADLINE,
    ) -> Answer:
        """Send JSON that sets something off: once, however the answer fails to come.

        `seconds` is how long an answer may take. Raises as `get` does.
        """
        parts: dict[str, Any] = {
            "params": params,
            "json": body,
            "timeout": httpx.Timeout(seconds, connect=10.0),
        }
        return await self._ask("POST", path, route, at_most_once, seconds, **parts)

    @contextmanager
    def circuit(self, route: str = "", known: str | None = None) -> Iterator[None]:
        """Record the outcome of one request to a route and of its reading in the breaker.

        `known` is whose account or post is asked for, where that was seen before. While the route
        is left alone because most of those are missing, one more is refused and not gone.
        """
        breaker = self._breaker_of(route)
        try:
            yield
        except BackingOffError:
            raise
        except ScrapeError as error:
            hides = breaker.hides
            breaker.record(error.outcome, known)
            if error.outcome is Outcome.RATE_LIMITED:
                pause_seconds = error.pause_seconds
                self._pacer.pause(self._usual_pause if pause_seconds is None else pause_seconds)
            if known is not None and error.outcome in MISSING and hides:
                raise ScrapeError(
                    Outcome.BLOCKED_SILENT,
                    NOT_THERE,
                    http_status=error.http_status,
                    raw_sample=error.raw_sample,
                ) from error
            raise
        breaker.record(Outcome.OK)

    def pause(self, seconds: float, connection: str) -> None:
        """Note that one connection should not be used for `seconds`; the host is not paused."""
        self._pacer.pause(seconds, connection)

    async def pause_left(self, connection: str) -> float:
        """Return for how many seconds a connection should still not be used."""
        return await self._pacer.pause_left(connection)

    def is_doubtful(self, route: str) -> bool:
        """Tell whether the last fetch by a route was refused."""
        return self._breaker_of(route).is_doubtful

    def is_hiding(self, route: str) -> bool:
        """Tell whether most fetches by a route miss what was seen before."""
        return self._breaker_of(route).is_hiding

    def cookie(self, name: str) -> str | None:
        """Return a cookie that the host has set."""
        return self._connections.cookie(name)

    async def aclose(self) -> None:
        """Leave the host to others, and close the connections."""
        await self._pacer.aclose()
        await self._connections.aclose()

    async def _ask(  # noqa: PLR0917  what a request consists of
        self,
        method: str,
        path: str,
        route: str,
        attempting: BoundAsyncRetryingCaller = patiently,
        seconds: float = _DEADLINE,
        largest: int = LARGEST_BODY,
        **parts: Any,
    ) -> Answer:
        url = self._base_url + path
        if attempting is patiently and self.is_doubtful(route):
            attempting = once
        try:
            return await attempting(self._attempt, seconds, largest, method, url, route, **parts)
        except HostPausedError as paused:
            raise BackingOffError(
                Outcome.RATE_LIMITED, f"not sent: {paused}", pause_seconds=paused.seconds
            ) from paused
        except BadStatusError as bad:
            raise _given_up(bad) from bad
        except (httpx.HTTPError, TimeoutError) as error:
            detail = f"{type(error).__name__}: {error}".rstrip(": ")
            raise ScrapeError(Outcome.UNREACHABLE, detail) from error

    async def _attempt(
        self, seconds: float, largest: int, method: str, url: str, route: str, **parts: Any
    ) -> Answer:
        async with self._pacer.turn(), asyncio.timeout(seconds):
            await self._breaker_of(route).check()
            await self._authorize(route)
            await self._sent()
            with self._connections.free() as client:
                async with client.stream(method, url, **parts) as response:
                    return await self._accepted(response, largest)

    async def _accepted(self, response: httpx.Response, largest: int) -> Answer:
        self._pacer.pause(self._requested_pause(response.headers))
        if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
            seconds = retry_after(response)
            self._pacer.pause(self._usual_pause if seconds is None else seconds)
        token = response.request.headers.get("Authorization", "").removeprefix("Bearer ")
        answer = await read_answer(response, self._base_url, largest)
        answer = answer.without((*self._secrets, token))
        if is_retryable_status(answer.status) and answer.status not in self._final_statuses:
            raise BadStatusError(answer.status, sample=answer.text)
        return answer


def _name_of(base_url: str) -> str:
    """Return under which name all agree about a host: its address, without any credentials."""
    parts = urlsplit(base_url)
    return parts.netloc.rpartition("@")[2] + parts.path.rstrip("/")


def _given_up(bad: BadStatusError) -> ScrapeError:
    limited = bad.status == httpx.codes.TOO_MANY_REQUESTS
    return ScrapeError(
        Outcome.RATE_LIMITED if limited else Outcome.UNREACHABLE,
        str(bad),
        http_status=bad.status,
        raw_sample=bad.sample,
    )
