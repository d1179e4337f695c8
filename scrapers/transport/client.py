"""The HTTP client of one platform's host: pacing, retries, size limits, and our User-Agent.

Pauses apply to the whole host; each `route` has its own circuit breaker. It does not interpret
responses: 2xx, 3xx and 4xx except 429 are returned. Redirects are reported, never followed.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from typing import Any
from urllib.parse import urlsplit

import httpx

from scrapers.identity import USER_AGENT
from scrapers.outcomes import MISSING, Outcome, ScrapeError
from scrapers.refusing import NOT_THERE
from scrapers.transport import retry
from scrapers.transport.answer import (
    BAD_LOCATION,
    Answer,
    read_answer,
    retry_after,
)
from scrapers.transport.breaker import BackingOffError, Breaker
from scrapers.transport.connections import Connections
from scrapers.transport.hosts import Host, MemoryKeeper, Now
from scrapers.transport.pacing import HostPausedError, Pace, Pacer, Sleep

USUAL_PAUSE = 30.0
"""Pause of a host in seconds after 'too many requests' without a time."""

RequestedPause = Callable[[Mapping[str, str]], float]
"""Returns the pause in seconds that a response's headers request; 0 for none."""

Authorize = Callable[[str], Awaitable[None]]
"""Awaited with the route before each request, including retries. Raises ScrapeError if it may not
be sent."""

_DEADLINE = 60.0
"""Time limit of a whole response in seconds, so that a slow one cannot hold a slot forever."""
_HEADERS = {"User-Agent": USER_AGENT, "Accept-Encoding": "gzip, deflate"}


def no_requested_pause(_headers: Mapping[str, str]) -> float:
    """Return 0: most hosts request a pause only by 429 and Retry-After."""
    return 0.0


async def authorize_all(_route: str) -> None:
    """Allow every request: most hosts cost nothing."""


class HttpClient:
    """Client of one host. Use and close it in one event loop.

    `base_url` may have a path above all routes. `secrets` are header values that are masked in
    responses, like a request's bearer token. `usual_pause` is in seconds. `final_statuses` are 5xx
    that are not retried. Tests replace `transport`, `sleep` and `now`.
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
        host = Host(pace.keeper or MemoryKeeper(now), name_of_host(base_url), now)
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
    ) -> Answer:
        """Request `path` under the base URL. Raises ScrapeError: unreachable or rate_limited."""
        return await self._ask("GET", path, route, params=params, headers=headers)

    async def page(self, path: str, route: str, is_page: Callable[[str], bool]) -> Answer:
        """Request a page, following one redirect on the site to a path that `is_page`.

        A redirect to itself may set a cookie: it is followed if the route's last fetch was not
        refused. Raises as `get` does, and blocked_silent for redirects in a circle.
        """
        answer = await self.get(path, route=route)
        moved_to = answer.redirect_path if answer.stays_on_site else None
        if moved_to is None or not is_page(moved_to):
            return answer
        if moved_to != path or not self.is_doubtful(route):
            answer = await self.get(moved_to, route=route)
        if answer.stays_on_site and answer.redirect_path in {path, moved_to}:
            detail = f"redirected in a circle, {path[:200]}"
            raise ScrapeError(Outcome.BLOCKED_SILENT, detail, http_status=answer.status)
        return answer

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
        """Send a form, or a body as JSON, to a route that only reads. Raises as `get` does."""
        sent: dict[str, Any] = {"json": body} if form is None else {"data": dict(form)}
        return await self._ask("POST", path, route, params=params, headers=headers, **sent)

    @contextmanager
    def circuit(self, route: str = "", known: str | None = None) -> Iterator[None]:
        """Record the outcome of one request and its reading in the route's breaker.

        Routes are named like the sources of their readings. `known` is the handle of a known
        account, also for its posts. While the route is paused because most of them are missing,
        one more counts as refused, not as deleted.
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
        """Pause one connection for `seconds`; the host is not paused."""
        self._pacer.pause(seconds, connection)

    async def pause_left(self, connection: str) -> float:
        """Return for how many seconds a connection is still paused."""
        return await self._pacer.pause_left(connection)

    def is_doubtful(self, route: str) -> bool:
        """Return whether the last fetch of a route was refused."""
        return self._breaker_of(route).is_doubtful

    def is_hiding(self, route: str) -> bool:
        """Return whether most fetches of a route miss known accounts."""
        return self._breaker_of(route).is_hiding

    def cookie(self, name: str) -> str | None:
        return self._connections.cookie(name)

    async def aclose(self) -> None:
        """Release the leased time, and close the connections."""
        await self._pacer.aclose()
        await self._connections.aclose()

    async def _ask(self, method: str, path: str, route: str, **parts: Any) -> Answer:
        url = self._base_url + path
        attempting = retry.once if self.is_doubtful(route) else retry.patiently
        try:
            return await attempting(self._attempt, method, url, route, **parts)
        except HostPausedError as paused:
            raise BackingOffError(
                Outcome.RATE_LIMITED, f"not sent: {paused}", pause_seconds=paused.seconds
            ) from paused
        except retry.BadStatusError as bad:
            raise _given_up(bad) from bad
        except (httpx.HTTPError, *BAD_LOCATION, TimeoutError) as error:
            detail = f"{type(error).__name__}: {error}".rstrip(": ")
            raise ScrapeError(Outcome.UNREACHABLE, detail) from error

    async def _attempt(self, method: str, url: str, route: str, **parts: Any) -> Answer:
        async with self._pacer.turn(), asyncio.timeout(_DEADLINE):
            await self._breaker_of(route).check()
            await self._authorize(route)
            await self._sent()
            with self._connections.free() as client:
                async with client.stream(method, url, **parts) as response:
                    return await self._accepted(response)

    async def _accepted(self, response: httpx.Response) -> Answer:
        self._pacer.pause(self._requested_pause(response.headers))
        if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
            seconds = retry_after(response)
            self._pacer.pause(self._usual_pause if seconds is None else seconds)
        token = response.request.headers.get("Authorization", "").removeprefix("Bearer ")
        answer = await read_answer(response, self._base_url)
        answer = answer.without((*self._secrets, token))
        if retry.is_retryable_status(answer.status) and answer.status not in self._final_statuses:
            raise retry.BadStatusError(answer.status, sample=answer.text)
        return answer


def name_of_host(base_url: str) -> str:
    """Return the shared name of a host: its URL without credentials."""
    parts = urlsplit(base_url)
    return parts.netloc.rpartition("@")[2] + parts.path.rstrip("/")


def _given_up(bad: retry.BadStatusError) -> ScrapeError:
    limited = bad.status == httpx.codes.TOO_MANY_REQUESTS
    return ScrapeError(
        Outcome.RATE_LIMITED if limited else Outcome.UNREACHABLE,
        str(bad),
        http_status=bad.status,
        raw_sample=bad.sample,
    )
