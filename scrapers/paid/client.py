"""Asking a commercial provider: the key, the budget, and what an answer cost.

Reading the answers is a dialect's. The key is blotted out of answers that repeat it.
"""

import asyncio
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack

import httpx
from pydantic import SecretStr

from scrapers import payload
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.paid.budget import Budget
from scrapers.paid.hushing import hushed
from scrapers.paid.refusals import accepted
from scrapers.paid.settings import COMMENTS, POST, PaidRoutes
from scrapers.payload import Json
from scrapers.provider import require_sendable
from scrapers.transport.answer import Answer
from scrapers.transport.client import HttpClient
from scrapers.transport.pacing import Pace, Sleep

_MISSING = {POST: Outcome.POST_UNAVAILABLE, COMMENTS: Outcome.POST_UNAVAILABLE}
_ACCOUNT = "account"


class PaidClient:
    """Asks one provider about one platform. Raises ScrapeError."""

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
    ) -> None:
        require_sendable(key, f"key of {routes.name}")
        self._settings = routes
        self._routes = routes.of(platform)
        self._budget = budget
        self._key = key.get_secret_value()
        in_header = {routes.key.header: self._key} if routes.key.header else {}
        self._hushing = ExitStack()
        if routes.key.parameter:
            self._hushing.enter_context(hushed(self._key))
        self._http = HttpClient(
            base_url=base_url,
            pace=pace,
            headers={**routes.headers, **in_header},
            secrets=(self._key,),
            admission=self._admit,
            final_statuses={refusal.status for refusal in routes.refusals},
            transport=transport,
            sleep=sleep,
        )

    def judged(self, capability: str) -> AbstractContextManager[None]:
        """See HttpClient.judged."""
        return self._http.judged(capability)

    async def ask(self, capability: str, params: Mapping[str, str]) -> dict[str, Json]:
        """Return the answer about what `params` name, and count what it cost."""
        route = self._routes[capability]
        sent = {**route.fixed, **params, **self._key_parameter()}
        answer = await self._http.get(route.path, route=capability, params=sent)
        if_missing = _MISSING.get(capability, Outcome.NOT_FOUND)
        await self._settle(answer, route.units)
        return accepted(answer, self._settings, if_missing=if_missing)

    async def account(self, params: Mapping[str, str]) -> dict[str, Json]:
        """Return what the provider tells of the key's own account."""
        path = self._settings.account.path
        sent = {**params, **self._key_parameter()}
        answer = await self._http.get(path, route=_ACCOUNT, params=sent)
        return accepted(answer, self._settings, if_missing=Outcome.SCHEMA_CHANGED)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()
        self._hushing.close()

    def _key_parameter(self) -> dict[str, str]:
        name = self._settings.key.parameter
        return {name: self._key} if name else {}

    async def _admit(self, capability: str) -> None:
        is_account = capability == _ACCOUNT
        units = self._settings.account.units if is_account else self._routes[capability].units
        await self._budget.admit(units)

    async def _settle(self, answer: Answer, admitted: int) -> None:
        """Count what an answer says it cost beyond the price that is known here."""
        charged = _charged(answer, self._settings)
        if charged is not None and charged > admitted:
            await self._budget.charge(charged - admitted)


def _charged(answer: Answer, routes: PaidRoutes) -> int | None:
    """Return the units that an answer says it cost, None where it does not clearly say so."""
    try:
        if routes.charged_header:
            return payload.count_at({"in": answer.headers.get(routes.charged_header)}, "in")
        if routes.charged:
            return payload.count_at(payload.parse_json(answer.text), routes.charged)
    except ScrapeError:
        pass
    return None
