"""Requests to the Research API: a client token, and queries as JSON. Raises ScrapeError."""

import asyncio
from collections.abc import Mapping
from contextlib import AbstractContextManager

import httpx

from scrapers import payload
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.paid.budget import Budget
from scrapers.payload import Json, at, number_at, sample_of, text_at
from scrapers.provider import ClientCredentials
from scrapers.tiktok_research.settings import Route, routes
from scrapers.transport.answer import Answer
from scrapers.transport.client import HttpClient
from scrapers.transport.pacing import Now, Pace, Sleep

_OK = "ok"
_RENEWAL = "renewal"
_STALE = "access_token_invalid"
_LONGEST_MESSAGE = 200


class ResearchClient:
    """Client for one approved application. `now` is monotonic and dates the token."""

    def __init__(
        self,
        credentials: ClientCredentials,
        *,
        budget: Budget,
        base_url: str,
        pace: Pace,
        now: Now,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._credentials = credentials
        self._secret = credentials.client_secret.get_secret_value()
        self._budget = budget
        self._now = now
        self._token: str | None = None
        self._token_until = 0.0
        self._renewing = asyncio.Lock()
        self._http = HttpClient(
            base_url=base_url,
            pace=pace,
            headers={"Accept": "application/json"},
            secrets=(self._secret,),
            authorize=self._authorize,
            final_statuses=(httpx.codes.TOO_MANY_REQUESTS,),
            transport=transport,
            sleep=sleep,
        )

    def circuit(self, route: Route) -> AbstractContextManager[None]:
        return self._http.circuit(route.path)

    async def query(self, route: Route, body: Mapping[str, object]) -> dict[str, Json]:
        """Return the data of a response. A token that ended early is renewed once."""
        token = await self._valid_token()
        answer = await self._post(route, body, token)
        if _code(answer) == _STALE:
            token = await self._valid_token(stale=token)
            answer = await self._post(route, body, token)
        return _accepted(answer)

    async def require_token(self) -> None:
        """Get a token, which uses no quota. Raises ScrapeError if the client is refused."""
        await self._valid_token()

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _authorize(self, route: str) -> None:
        """Count a request, except for a token: TikTok does not count these either."""
        if route != _RENEWAL:
            await self._budget.authorize(0)

    async def _post(self, route: Route, body: Mapping[str, object], token: str) -> Answer:
        return await self._http.post(
            route.path,
            route=route.path,
            params={"fields": ",".join(route.fields)},
            body=body,
            headers={"Authorization": f"Bearer {token}"},
        )

    async def _valid_token(self, stale: str | None = None) -> str:
        """Return a token that is valid for a while and is not `stale`."""
        async with self._renewing:
            if self._token in (None, stale) or self._now() >= self._token_until:
                await self._renew()
            return str(self._token)

    async def _renew(self) -> None:
        with self._http.circuit(_RENEWAL):
            await self._request_token()

    async def _request_token(self) -> None:
        answer = await self._http.post(
            routes().token.path,
            route=_RENEWAL,
            form={
                "client_key": self._credentials.client_key,
                "client_secret": self._secret,
                "grant_type": "client_credentials",
            },
        )
        tree = _object_in(answer)
        token, seconds = text_at(tree, "access_token"), number_at(tree, "expires_in")
        if not token or not token.isascii() or not token.isprintable() or seconds is None:
            raise _refused(
                text_at(tree, "error") or "", _object_in(answer.without([token or ""])), answer
            )
        self._token = token
        self._token_until = self._now() + seconds - routes().token.renew_before_seconds


def _object_in(answer: Answer) -> dict[str, Json]:
    tree = payload.parse_json(answer.text)
    if not isinstance(tree, dict):
        raise payload.schema_changed("the response is not an object", answer.text)
    return tree


def _code(answer: Answer) -> str | None:
    try:
        return text_at(_object_in(answer), "error/code")
    except ScrapeError:
        return None


def _accepted(answer: Answer) -> dict[str, Json]:
    tree = _object_in(answer)
    code, data = text_at(tree, "error/code"), at(tree, "data")
    if code != _OK or not isinstance(data, dict):
        raise _refused(code or "", tree, answer)
    return data


def _refused(code: str, tree: dict[str, Json], answer: Answer) -> ScrapeError:
    known = routes().refusals.get(code)
    words = text_at(tree, "error/message", "error_description") or "no message"
    detail = known.detail if known else "neither a result nor a known error"
    return ScrapeError(
        known.outcome if known else Outcome.SCHEMA_CHANGED,
        f"{detail} (HTTP {answer.status}, {code[:50]!r}: {words[:_LONGEST_MESSAGE]})",
        http_status=answer.status,
        raw_sample=sample_of(tree),
    )
