"""TikTok's Display API as a Provider: what its looks take, and what their endings mean.

Only accounts that their creators have connected can be asked about; posts are those that anyone can
see. It shows no saves and no comments.
"""

import asyncio
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

import httpx

from scrapers.consent.client import ConnectedClient, Headers
from scrapers.consent.tokens import Token, Tokens
from scrapers.discovery import TimelinePaging, explain_empty_list
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.paid.identity import require_post
from scrapers.payload import Json
from scrapers.provider import Clock
from scrapers.reports import failed
from scrapers.snapshots import (
    AccountSnapshot,
    AccountTarget,
    PostTarget,
    ScrapeReport,
    VideoSnapshot,
)
from scrapers.tiktok_display import parse
from scrapers.tiktok_display.settings import routes
from scrapers.transport.answer import Answer
from scrapers.transport.client import HttpClient
from scrapers.transport.pacing import Pace, Sleep
from scrapers.urls.tiktok import PLATFORM

_USER, _LIST, _QUERY = "user", "list", "query"


class DisplayProvider:
    """Asks as the creators whose `tokens` are there. `clock` (business time) dates what is seen."""

    platform = PLATFORM
    name = "display"

    def __init__(
        self,
        *,
        base_url: str,
        pace: Pace,
        clock: Clock,
        tokens: Tokens,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._clock = clock
        http = HttpClient(
            base_url=base_url,
            pace=pace,
            headers={"Accept": "application/json"},
            transport=transport,
            sleep=sleep,
        )
        self._client = ConnectedClient(http, tokens)
        self._accounts: dict[str, AccountSnapshot] = {}

    async def serves(self, target: AccountTarget | PostTarget) -> bool:
        """Tell whether the account was connected."""
        return await self._client.serves(target.handle)

    async def profile(self, target: AccountTarget) -> ScrapeReport:
        """Read a profile."""
        try:
            token = await self._client.token_of(target.handle)
            account = await self._account(target, token)
        except ScrapeError as error:
            return failed(error, parse.PROFILE)
        return ScrapeReport(outcome=Outcome.OK, source=parse.PROFILE, account=account)

    async def discover(
        self, target: AccountTarget, *, since: datetime, known: Collection[str]
    ) -> ScrapeReport:
        """Page through an account's posts; known ones further back are read by their ids.

        The account is shown where the look had to read it: one at the profile has done so before.
        """
        seen_before, older = self._accounts.get(target.handle), list[VideoSnapshot]()
        account = seen_before
        limits = routes().videos
        paging = TimelinePaging(
            since=since, known=known, pages=limits.pages, fruitless_pages=limits.fruitless_pages
        )
        try:
            token = await self._client.token_of(target.handle)
            account = account or await self._account(target, token)
            await self._page_through(account, token, paging)
            if paging.findings.saw_nothing:
                explain_empty_list(account)
            for ids in _batches(sorted(paging.findings.missing), limits.ids_a_query):
                older += await self._named(account, token, ids)
            ended = ScrapeReport(
                outcome=Outcome.OK, source=parse.POSTS, reached_known=paging.is_complete
            )
        except ScrapeError as error:
            ended = failed(error, parse.POSTS)
        shown = None if seen_before else account
        videos = (*paging.findings.videos, *older)
        wait_seconds = None if shown or videos else ended.wait_seconds
        return replace(ended, account=shown, videos=videos, wait_seconds=wait_seconds)

    async def post(self, target: PostTarget) -> ScrapeReport:
        """Read one post. POST_UNAVAILABLE where its account does not show it (any more)."""
        try:
            video = await self._post(target)
        except ScrapeError as error:
            return failed(error, parse.POST)
        return ScrapeReport(outcome=Outcome.OK, source=parse.POST, videos=(video,))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _account(self, target: AccountTarget, token: Token) -> AccountSnapshot:
        """Read whose the token is, and remember it."""

        async def send(headers: Headers) -> Answer:
            path, fields = routes().user.path, {"fields": ",".join(routes().user.fields)}
            return await self._client.http.get(path, route=_USER, params=fields, headers=headers)

        with self._client.judged(_USER):
            data = await self._client.ask(token, send, parse.accepted)
            account = parse.read_account(
                data, target, subject=token.subject, captured_at=self._clock()
            )
        self._accounts[target.handle] = account
        return account

    async def _page_through(
        self, account: AccountSnapshot, token: Token, paging: TimelinePaging
    ) -> None:
        while paging.goes_on:
            body: dict[str, Json] = {"max_count": routes().videos.page_size}
            if paging.cursor is not None:
                body["cursor"] = int(paging.cursor)
            with self._client.judged(_LIST):
                data = await self._videos(routes().videos.list_path, _LIST, token, body)
                page = parse.read_page(data, account, self._clock())
            paging.take(page)
        if paging.is_stuck:
            raise ScrapeError(Outcome.BLOCKED_SILENT, "pages without a new post, again and again")

    async def _post(self, target: PostTarget) -> VideoSnapshot:
        token = await self._client.token_of(target.handle)
        handle = str(target.handle)  # there is no token without one
        account = self._accounts.get(handle) or await self._account(
            AccountTarget(platform=PLATFORM, handle=handle), token
        )
        found = await self._named(account, token, [target.platform_video_id])
        for video in found:
            require_post(target, video, video.url)
            return video
        raise ScrapeError(Outcome.POST_UNAVAILABLE, "the account no longer shows this post")

    async def _named(
        self, account: AccountSnapshot, token: Token, ids: Sequence[str]
    ) -> list[VideoSnapshot]:
        body: dict[str, Json] = {"filters": {"video_ids": list(ids)}}
        with self._client.judged(_QUERY):
            data = await self._videos(routes().videos.query_path, _QUERY, token, body)
            return parse.read_videos(data, account, self._clock(), source=parse.POST)

    async def _videos(
        self, path: str, route: str, token: Token, body: dict[str, Json]
    ) -> dict[str, Json]:
        async def send(headers: Headers) -> Answer:
            fields = {"fields": ",".join(routes().videos.fields)}
            return await self._client.http.post(
                path, route=route, params=fields, body=body, headers=headers
            )

        return await self._client.ask(token, send, parse.accepted)


def _batches(ids: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (ids[start : start + size] for start in range(0, len(ids), size))
