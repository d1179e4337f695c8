"""Requests to a commercial provider that answers at once: one GET, and its cost."""

from collections.abc import Mapping

from scrapers import payload
from scrapers.outcomes import ScrapeError
from scrapers.paid.answers import ProviderAnswer
from scrapers.paid.keyed import KeyedClient, if_missing
from scrapers.paid.refusals import accepted
from scrapers.paid.settings import PaidRoutes
from scrapers.transport.answer import Answer


class PaidClient(KeyedClient):
    """Client of one provider for one platform. Raises ScrapeError."""

    async def ask(self, capability: str, params: Mapping[str, str]) -> ProviderAnswer:
        """Return the response about `params`, and count its cost."""
        route = self._routes[capability]
        sent = {**route.fixed, **params, **self._key_parameter()}
        answer = await self._http.get(route.path, route=capability, params=sent)
        await self._settle(answer, route.units)
        return ProviderAnswer(accepted(answer, self._settings, if_missing=if_missing(capability)))

    async def _settle(self, answer: Answer, authorized: int) -> None:
        """Count the cost in a response beyond the known price."""
        charged = _charged(answer, self._settings)
        if charged is not None and charged > authorized:
            await self._budget.charge(charged - authorized)


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
