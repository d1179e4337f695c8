"""Requests with a commercial provider's key, whether it answers at once or by runs.

The key is masked in responses and in httpx's log lines.
"""

import asyncio
import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager

import httpx
from pydantic import SecretStr

from scrapers.outcomes import Outcome
from scrapers.paid.budget import Budget
from scrapers.paid.refusals import accepted
from scrapers.paid.settings import COMMENTS, POST, PaidRoutes
from scrapers.payload import Json
from scrapers.provider import require_sendable
from scrapers.transport.client import HttpClient
from scrapers.transport.pacing import Now, Pace, Sleep

_MISSING = {POST: Outcome.POST_UNAVAILABLE, COMMENTS: Outcome.POST_UNAVAILABLE}
_ACCOUNT = "account"


class KeyedClient:
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
        self._platform = platform
        self._sleep = sleep
        self._routes = routes.of(platform)
        self._budget = budget
        self._key = key.get_secret_value()
        in_header = (
            {routes.key.header: f"{routes.key.prefix}{self._key}"} if routes.key.header else {}
        )
        self._hushing = ExitStack()
        if routes.key.parameter:
            self._hushing.enter_context(hushed(self._key))
        self._http = HttpClient(
            base_url=base_url,
            pace=pace,
            headers={**routes.headers, **in_header},
            secrets=(self._key,),
            authorize=self._authorize,
            final_statuses={refusal.status for refusal in routes.refusals},
            transport=transport,
            sleep=sleep,
            now=now,
        )

    def circuit(self, capability: str) -> AbstractContextManager[None]:
        return self._http.circuit(capability)

    async def account(self, params: Mapping[str, str]) -> dict[str, Json]:
        """Return the provider's response about the key's own account."""
        path = self._settings.account.path
        sent = {**params, **self._key_parameter()}
        answer = await self._http.get(path, route=_ACCOUNT, params=sent)
        return accepted(answer, self._settings, if_missing=Outcome.SCHEMA_CHANGED)

    async def aclose(self) -> None:
        await self._http.aclose()
        self._hushing.close()

    def _key_parameter(self) -> dict[str, str]:
        name = self._settings.key.parameter
        return {name: self._key} if name else {}

    async def _authorize(self, route: str) -> None:
        if route == _ACCOUNT:
            await self._budget.authorize(self._settings.account.units)
        elif route in self._routes:
            await self._budget.authorize(self._units(route))

    def _units(self, capability: str) -> int:
        """Return the price of one request, as far as known in advance."""
        return self._routes[capability].units


def if_missing(capability: str) -> Outcome:
    """Return the meaning of an empty result for a capability."""
    return _MISSING.get(capability, Outcome.NOT_FOUND)


_ASKING = logging.getLogger("httpx")


class _Hushed(logging.Filter):
    """Masks a secret in log lines."""

    def __init__(self, secret: str) -> None:
        super().__init__()
        self._secret = secret

    def filter(self, record: logging.LogRecord) -> bool:
        """Pass every line, without the secret."""
        record.msg = record.getMessage().replace(self._secret, "(secret)")
        record.args = ()
        return True


@contextmanager
def hushed(secret: str) -> Iterator[None]:
    """Mask a secret in httpx's log lines within the block."""
    hushing = _Hushed(secret)
    _ASKING.addFilter(hushing)
    try:
        yield
    finally:
        _ASKING.removeFilter(hushing)
