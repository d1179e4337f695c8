"""The one route of business discovery; `parse.py` reads the responses.

The access token is in a header, which logs of URLs do not show, and is masked in responses that
repeat it.
"""

import re
from contextlib import AbstractContextManager
from urllib.parse import quote

from scrapers.instagram_graph import refusals
from scrapers.instagram_graph.settings import routes
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.payload import Json
from scrapers.transport.answer import Answer
from scrapers.transport.client import HttpClient

_HANDLE = re.compile(r"[A-Za-z0-9._]{1,30}")


class GraphClient:
    """Requests accounts as the professional account `user_id`. Raises ScrapeError."""

    def __init__(self, http: HttpClient, *, user_id: str) -> None:
        self._http = http
        self._path = routes().discovery.path.format(user_id=quote(user_id, safe=""))
        self._unsure_fields = routes().discovery.unsure_fields

    def circuit(self) -> AbstractContextManager[None]:
        return self._http.circuit()

    async def profile(self, handle: str) -> dict[str, Json]:
        return await self._discovered(handle, routes().discovery.profile_fields)

    async def page(self, handle: str, after: str | None) -> dict[str, Json]:
        """Return the response with a profile and the page of its posts after a cursor."""
        route = routes().discovery
        behind = f".after({after})" if after else ""
        media = f"media.limit({route.page_size}){behind}{{{','.join(route.media_fields)}}}"
        return await self._discovered(handle, (*route.profile_fields, media))

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _discovered(self, handle: str, fields: tuple[str, ...]) -> dict[str, Json]:
        """Request fields of an account, with optional ones until the API rejects one.

        A handle with other characters could change the request.
        """
        if not _HANDLE.fullmatch(handle):
            raise ScrapeError(Outcome.NOT_FOUND, "not a valid Instagram handle")
        answer = await self._request_fields(handle, (*fields, *self._unsure_fields))
        if not (self._unsure_fields and refusals.may_be_about_a_field(answer)):
            return refusals.accepted(answer)
        tree = refusals.accepted(await self._request_fields(handle, fields))
        self._unsure_fields = ()
        return tree

    async def _request_fields(self, handle: str, fields: tuple[str, ...]) -> Answer:
        query = f"{routes().discovery.root}.username({handle}){{{','.join(fields)}}}"
        return await self._http.get(self._path, params={"fields": query})
