"""TikTok's Display API as a Provider: requests of each fetch, and its outcome.

It reads accounts that their creators have connected, and their public posts. It has no saves and
no comments.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from scrapers.consent.client import Headers
from scrapers.consent.provider import ConnectedProvider
from scrapers.consent.tokens import Token
from scrapers.discovery import TimelinePaging
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.paid.identity import require_post
from scrapers.payload import Json
from scrapers.reports import post_report
from scrapers.snapshots import (
    AccountSnapshot,
    AccountTarget,
    DuePost,
    PostTarget,
    ScrapeReport,
    VideoSnapshot,
)
from scrapers.tiktok_display import parse
from scrapers.tiktok_display.settings import routes
from scrapers.transport.answer import Answer
from scrapers.urls.tiktok import PLATFORM

_USER, _LIST, _QUERY = "user", "list", "query"


class DisplayProvider(ConnectedProvider["_ListCrawl"]):
    """See ConnectedProvider. Older due posts are read by id."""

    platform = PLATFORM
    name = "display"
    profile_source = parse.PROFILE
    posts_source = parse.POSTS

    async def post(self, target: PostTarget) -> ScrapeReport:
        """Read one post. POST_UNAVAILABLE if its account does not show it (any more)."""
        return await post_report(self._post(target), parse.POST)

    async def _read_account(self, target: AccountTarget, token: Token) -> AccountSnapshot:
        async def send(headers: Headers) -> Answer:
            path, fields = routes().user.path, {"fields": ",".join(routes().user.fields)}
            return await self._client.http.get(path, route=_USER, params=fields, headers=headers)

        with self._client.http.circuit(_USER):
            data = await self._client.ask(token, send, parse.accepted)
            return parse.read_account(data, target, token, captured_at=self._clock())

    def _list_crawl(
        self, target: AccountTarget, since: datetime, known: Collection[str]
    ) -> "_ListCrawl":
        return _ListCrawl(since, known, target.due, target.cursor_of(self.name), target.by_pages)

    async def _read_page(self, account: AccountSnapshot, token: Token, crawl: "_ListCrawl") -> None:
        body: dict[str, Json] = {"max_count": routes().videos.page_size}
        if crawl.paging.cursor is not None:
            body["cursor"] = int(crawl.paging.cursor)
        with self._client.http.circuit(_LIST):
            data = await self._videos(routes().videos.list_path, _LIST, token, body)
            page = parse.read_page(data, account, self._clock())
        crawl.paging.add_page(page)

    async def _complete(self, account: AccountSnapshot, token: Token, crawl: "_ListCrawl") -> None:
        missing = sorted(crawl.paging.findings.missing)
        for ids in _batches(missing, routes().videos.ids_a_query):
            crawl.older += await self._named(account, token, ids)

    async def _post(self, target: PostTarget) -> VideoSnapshot:
        account, token = await self._owner(target)
        posts = await self._named(account, token, [target.platform_video_id])
        for video in posts:
            require_post(target, video, video.url)
            return video
        raise ScrapeError(Outcome.POST_UNAVAILABLE, "the account no longer shows this post")

    async def _named(
        self, account: AccountSnapshot, token: Token, ids: Sequence[str]
    ) -> tuple[VideoSnapshot, ...]:
        body: dict[str, Json] = {"filters": {"video_ids": list(ids)}}
        with self._client.http.circuit(_QUERY):
            data = await self._videos(routes().videos.query_path, _QUERY, token, body)
            videos, _ = parse.read_videos(data, account, self._clock(), source=parse.POST)
        return videos

    async def _videos(
        self, path: str, route: str, token: Token, body: dict[str, Json]
    ) -> dict[str, Json]:
        async def send(headers: Headers) -> Answer:
            fields = {"fields": ",".join(routes().videos.fields)}
            return await self._client.http.post(
                path, route=route, params=fields, body=body, headers=headers
            )

        return await self._client.ask(token, send, parse.accepted)


class _ListCrawl:
    """One crawl back through an account's posts, with posts that were read by id."""

    def __init__(
        self,
        since: datetime,
        known: Collection[str],
        due: Sequence[DuePost] | None,
        behind: str | None,
        by_pages: bool,
    ) -> None:
        limits = routes().videos
        self.paging = TimelinePaging(
            since=since,
            known=known,
            due=due,
            posts_a_request=limits.ids_a_query,
            pages=limits.pages,
            fruitless_pages=limits.fruitless_pages,
            behind=behind,
            by_pages=by_pages,
        )
        self.older: list[VideoSnapshot] = []

    @property
    def videos(self) -> tuple[VideoSnapshot, ...]:
        """The selected posts of the list, and the older ones."""
        return (*self.paging.findings.videos, *self.older)


def _batches(ids: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (ids[start : start + size] for start in range(0, len(ids), size))
