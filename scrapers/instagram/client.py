"""Instagram's requests; `parse.py` reads the responses."""

import json
from functools import partial
from urllib.parse import quote

from scrapers.instagram import carrier, parse, refusals
from scrapers.instagram.comments import COMMENT_QUERY
from scrapers.instagram.settings import Query, routes
from scrapers.transport.answer import Answer
from scrapers.transport.client import HttpClient
from scrapers.urls.shortcode import pk_to_shortcode


class InstagramClient:
    """Fetches pages and sends guest queries. Raises ScrapeError for refusals."""

    def __init__(self, http: HttpClient) -> None:
        self.http = http
        self._token: str | None = None
        self._query_ids: dict[str, str] = {}

    async def profile_page(self, handle: str) -> str:
        path = routes().pages.profile.format(handle=quote(handle, safe=""))
        return await self._page(path, parse.PROFILE_PAGE)

    async def reels_page(self, handle: str) -> str:
        path = routes().pages.reels.format(handle=quote(handle, safe=""))
        return await self._page(path, parse.REELS_TAB)

    async def post_page(self, pk: str) -> str:
        path = routes().pages.post.format(code=pk_to_shortcode(pk))
        return await self._page(path, parse.POST_PAGE)

    async def first_posts(self, handle: str, after: str | None) -> str:
        """Return a page of a timeline, by handle."""
        return await self._query(
            routes().graphql.first_posts,
            {"first": routes().graphql.page_size, "username": handle, "after": after},
            parse.TIMELINE,
        )

    async def more_posts(self, facebook_id: str, after: str | None) -> str:
        """Return a page of a timeline, by the account's Facebook-side id."""
        return await self._query(
            routes().graphql.more_posts,
            {"after": after, "first": routes().graphql.page_size, "id": facebook_id},
            parse.TIMELINE,
        )

    async def post_answer(self, pk: str) -> str:
        return await self._query(routes().graphql.post, {"media_id": pk}, parse.POST_QUERY)

    async def comments(self, pk: str, after: str | None) -> str:
        """Return the page of a post's comments after a cursor."""
        return await self._query(
            routes().graphql.comments,
            {"after": after, "first": routes().comments.page_size, "media_id": pk},
            COMMENT_QUERY,
        )

    async def aclose(self) -> None:
        await self.http.aclose()

    async def _page(self, path: str, route: str) -> str:
        """Fetch a page, following one redirect to another URL of it on the site."""
        answer = await self.http.page(path, route, partial(refusals.is_another_address, path))
        refusals.check_page(answer)
        self._token = carrier.token_in(answer.text) or self._token
        self._query_ids |= carrier.query_ids_in(answer.text)
        return answer.text

    async def _query(self, query: Query, variables: dict[str, object], route: str) -> str:
        """Send a query, and once more after an error that passes."""
        sent = json.dumps(variables, separators=(",", ":"))
        answer = await self._send_query(query, sent, route)
        if refusals.is_passing_error(answer) and not self.http.is_doubtful(route):
            answer = await self._send_query(query, sent, route)
        refusals.check_query(answer)
        return answer.text

    async def _send_query(self, query: Query, variables: str, route: str) -> Answer:
        """Send a query with the token, cookie and query id from pages."""
        graphql, cookie = routes().graphql, self.http.cookie("csrftoken")
        form = {"fb_api_req_friendly_name": query.name, "variables": variables}
        headers = {"X-FB-Friendly-Name": query.name}
        if self._token:
            form["lsd"] = headers["X-FB-LSD"] = self._token
        if cookie:
            headers["X-CSRFToken"] = cookie
        return await self.http.post(
            graphql.path,
            route=route,
            form={**graphql.form, **form, "doc_id": self._query_ids.get(query.name, query.doc_id)},
            headers={**graphql.headers, **headers},
        )
