"""Clients of commercial providers: requests with a key, one GET and its cost, and our own account.

The key is masked in responses and in httpx's log lines.
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import date
from threading import Lock
from urllib.parse import quote

import httpx
from pydantic import SecretStr

from scrapers import payload
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.paid.answers import accepted
from scrapers.paid.budget import Budget, Unlimited
from scrapers.paid.settings import COMMENTS, POST, PaidRoutes
from scrapers.payload import Json
from scrapers.provider import require_sendable
from scrapers.transport.answer import Answer
from scrapers.transport.client import HttpClient
from scrapers.transport.pacing import Now, Pace, Sleep
from scrapers.urls.sites import SITES

_MISSING = {POST: Outcome.POST_UNAVAILABLE, COMMENTS: Outcome.POST_UNAVAILABLE}
_ACCOUNT = "account"


class PaidClient:
    """Client of one provider for one platform. Raises ScrapeError."""

    def __init__(
        self,
        routes: PaidRoutes,
        platform: str,
        *,
        key: SecretStr,
        budget: Budget,
        base_url: str,
        pace: Pace,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Sleep = asyncio.sleep,
        now: Now = time.monotonic,
    ) -> None:
        require_sendable(key, f"key of {routes.name}")
        self._settings = routes
        self._routes = routes.of(platform)
        self._budget = budget
        self._key = key.get_secret_value()
        in_header = (
            {routes.key.header: f"{routes.key.prefix}{self._key}"} if routes.key.header else {}
        )
        self._hushing = ExitStack()
        if routes.key.parameter:
            self._hushing.enter_context(hushed(self._key))
        self.http = HttpClient(
            base_url=base_url,
            pace=pace,
            headers={**routes.headers, **in_header},
            secrets=spellings(self._key),
            authorize=self._authorize,
            final_statuses={refusal.status for refusal in routes.refusals},
            transport=transport,
            sleep=sleep,
            now=now,
        )

    async def ask(self, capability: str, params: Mapping[str, str]) -> dict[str, Json]:
        """Return the response about `params`, and count its cost."""
        route = self._routes[capability]
        sent = {**route.fixed, **params, **self._key_parameter()}
        answer = await self.http.get(route.path, route=capability, params=sent)
        await self._settle(answer, route.units)
        return accepted(answer, self._settings, if_missing=if_missing(capability))

    async def account(self, params: Mapping[str, str]) -> dict[str, Json]:
        """Return the provider's response about the key's own account."""
        path = self._settings.account.path
        sent = {**params, **self._key_parameter()}
        answer = await self.http.get(path, route=_ACCOUNT, params=sent)
        return accepted(answer, self._settings, if_missing=Outcome.SCHEMA_CHANGED)

    async def aclose(self) -> None:
        await self.http.aclose()
        self._hushing.close()

    def _key_parameter(self) -> dict[str, str]:
        name = self._settings.key.parameter
        return {name: self._key} if name else {}

    async def _authorize(self, route: str) -> None:
        if route == _ACCOUNT:
            await self._budget.authorize(self._settings.account.units)
        elif route in self._routes:
            await self._budget.authorize(self._routes[route].units)

    async def _settle(self, answer: Answer, authorized: int) -> None:
        """Count the cost in a response beyond the known price."""
        charged = _charged(answer, self._settings)
        if charged is not None and charged > authorized:
            await self._budget.charge(charged - authorized)


def if_missing(capability: str) -> Outcome:
    """Return the meaning of an empty result for a capability."""
    return _MISSING.get(capability, Outcome.NOT_FOUND)


class _Hushed(logging.Filter):
    """Masks secrets in log lines.

    One filter for all, because a logger skips a filter if another is removed meanwhile.
    """

    def __init__(self) -> None:
        super().__init__()
        self.secrets: Counter[str] = Counter()
        self.lock = Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Pass every line, without the secrets."""
        record.msg = record.getMessage()
        with self.lock:
            secrets = sorted(self.secrets, key=len, reverse=True)
        for secret in secrets:
            record.msg = record.msg.replace(secret, "(secret)")
        record.args = ()
        return True


_HUSHED = _Hushed()
logging.getLogger("httpx").addFilter(_HUSHED)


def spellings(secret: str) -> frozenset[str]:
    """Return a secret as it is, and as URLs spell it."""
    return frozenset({secret, quote(secret, safe="")})


@contextmanager
def hushed(secret: str) -> Iterator[None]:
    """Mask a secret in httpx's log lines within the block."""
    masked = Counter(spellings(secret))
    with _HUSHED.lock:
        _HUSHED.secrets += masked
    try:
        yield
    finally:
        with _HUSHED.lock:
            _HUSHED.secrets -= masked


def _charged(answer: Answer, routes: PaidRoutes) -> int | None:
    """Return the units that a response says it cost; None if unclear."""
    try:
        if routes.charged_header:
            return payload.count_at({"in": answer.headers.get(routes.charged_header)}, "in")
        if routes.charged:
            return payload.count_at(payload.parse_json(answer.text), routes.charged)
    except ScrapeError:
        pass
    return None


@dataclass(frozen=True, slots=True)
class AccountState:
    """An accepted key. `units_left` is None if the provider does not report it."""

    units_left: int | None


async def read_account(
    routes: PaidRoutes, *, key: SecretStr, base_url: str, today: date
) -> AccountState:
    """Send the cheapest request that needs a key.

    No budget counts it, because a person starts it. Raises ScrapeError, also for a refused key, and
    ValueError for a key that no header can carry.
    """
    client = PaidClient(
        routes,
        next(iter(SITES)),
        key=key,
        budget=Unlimited(),
        base_url=base_url,
        pace=Pace(concurrency=1, requests_per_second=1.0),
    )
    day = {routes.account.day: today.isoformat()} if routes.account.day else {}
    try:
        answer = await client.account(day)
    finally:
        await client.aclose()
    return AccountState(payload.count_at(answer, *routes.account.left))
