"""TikTok's Research API as a Provider: requests of each fetch, and its outcome."""

import asyncio
import time
from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import httpx

from scrapers import posting_times
from scrapers.comments import CommentPaging, require_progress
from scrapers.findings import Findings, ListedPost, to_a_page_of_known_posts
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.paid.budget import Budget
from scrapers.paid.identity import own_posts, require_counters
from scrapers.provider import ClientCredentials, Clock
from scrapers.reports import failed, post_report, profile_report
from scrapers.snapshots import (
    AccountSnapshot,
    AccountTarget,
    PostTarget,
    ScrapeReport,
    VideoSnapshot,
)
from scrapers.tiktok_research import parse
from scrapers.tiktok_research.client import ResearchClient
from scrapers.tiktok_research.settings import routes
from scrapers.transport.pacing import Now, Pace, Sleep
from scrapers.urls.tiktok import PLATFORM

Window = tuple[date, date]
"""First and last day (UTC) on which posts were created."""


class ResearchProvider:
    """Requests the Research API within a daily `budget` of requests; it costs no money.

    `clock` (business time) dates the readings.
    """

    platform = PLATFORM
    name = "research"

    def __init__(
        self,
        *,
        base_url: str,
        pace: Pace,
        clock: Clock,
        credentials: ClientCredentials,
        budget: Budget,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Sleep = asyncio.sleep,
        now: Now = time.monotonic,
    ) -> None:
        self._clock = clock
        self._client = ResearchClient(
            credentials,
            budget=budget,
            base_url=base_url,
            pace=pace,
            now=now,
            transport=transport,
            sleep=sleep,
        )

    async def profile(self, target: AccountTarget) -> ScrapeReport:
        return await profile_report(self._profile_of(target), parse.USER)

    def lists_without_profile(self, _target: AccountTarget) -> bool:
        """Return True: posts only need the handle."""
        return True

    async def discover(
        self, target: AccountTarget, *, since: datetime, known: Collection[str]
    ) -> ScrapeReport:
        """Query month by month back to `since`, or to a month in which all posts are known.

        Older months are queried if posts in them are due: a query returns up to a hundred. An
        empty result means nothing: the account may have no posts since then.
        """
        findings = Findings(since=since, known=known, due=target.due)
        try:
            is_complete = await self._go_back(target, since, findings)
        except ScrapeError as error:
            return failed(error, parse.VIDEOS, videos=findings.videos)
        return ScrapeReport(
            outcome=Outcome.OK,
            source=parse.VIDEOS,
            videos=findings.videos,
            reached_known=is_complete,
        )

    async def post(self, target: PostTarget) -> ScrapeReport:
        """Read one post by its id. OUT_OF_REACH if it is not shown (yet)."""
        return await post_report(self._find(target), parse.VIDEOS)

    async def comments(self, target: PostTarget) -> ScrapeReport:
        """Page through a post's comments; the API has at most a thousand."""
        route = routes().comments
        paging = CommentPaging(
            first_cursor="0", pages=route.pages, fruitless_pages=route.fruitless_pages
        )
        try:
            while paging.goes_on:
                await self._read_comments(target, paging)
            require_progress(paging)
        except ScrapeError as error:
            return failed(error, parse.COMMENTS, comment_crawl=paging.comment_crawl())
        crawl = paging.comment_crawl()
        return ScrapeReport(
            outcome=Outcome.OK,
            source=parse.COMMENTS,
            # A list that ends on the last page may go on behind the API's thousand.
            comment_crawl=replace(crawl, is_complete=crawl.is_complete and paging.has_pages_left),
        )

    async def aclose(self) -> None:
        await self._client.aclose()

    async def _profile_of(self, target: AccountTarget) -> AccountSnapshot:
        with self._client.circuit(routes().user):
            data = await self._client.query(routes().user, {"username": target.handle})
            return parse.read_user(data, target, self._clock())

    async def _go_back(self, target: AccountTarget, since: datetime, findings: Findings) -> bool:
        """Return whether no gap is left: it reached the start or known posts."""
        left, is_complete = routes().videos.pages, False
        due = {
            post.platform_video_id: post.posted_at for post in target.due or () if post.posted_at
        }
        for window in _months_back(self._clock(), min(since, *due.values(), since)):
            is_complete = is_complete or window[1] < since.astimezone(UTC).date()
            missing_ids = {
                key for key, at in due.items() if _lies_in(at, window)
            } & findings.missing
            if is_complete and not missing_ids:
                continue
            new, left = await self._read_window(target, window, findings, left)
            if new is None:
                return is_complete
            is_complete = is_complete or to_a_page_of_known_posts(findings, new)
        return True

    async def _read_window(
        self, target: AccountTarget, window: Window, findings: Findings, pages: int
    ) -> tuple[list[ListedPost] | None, int]:
        """Read a whole window; return its posts, or None beyond `pages`, and the pages left."""
        condition = {"operation": "EQ", "field_name": "username", "field_values": [target.handle]}
        new: list[ListedPost] = []
        cursor: int | None = 0
        search_id = None
        while cursor is not None:
            if not pages:
                return None, 0
            page = await self._page(condition, window, cursor, search_id)
            new += findings.add(own_posts(target, page.posts, target.handle))
            cursor, search_id, pages = page.cursor, page.search_id, pages - 1
        return new, pages

    async def _find(self, target: PostTarget) -> VideoSnapshot:
        item_id = target.platform_video_id
        window = _days_around(item_id)
        condition = {"operation": "EQ", "field_name": "video_id", "field_values": [item_id]}
        page = await self._page(condition, window, 0, None)
        videos = [post.video for post in page.posts if post.video.platform_video_id == item_id]
        if not videos:
            raise ScrapeError(Outcome.OUT_OF_REACH, "the API does not have this post (yet)")
        require_counters(videos, item_id)
        return videos[0]

    async def _page(
        self, condition: object, window: Window, cursor: int, search_id: str | None
    ) -> parse.VideoPage:
        first, last = window
        body = {
            "query": {"and": [condition]},
            "start_date": f"{first:%Y%m%d}",
            "end_date": f"{last:%Y%m%d}",
            "max_count": routes().videos.page_size,
            "cursor": cursor,
            **({"search_id": search_id} if search_id else {}),
        }
        with self._client.circuit(routes().videos):
            data = await self._client.query(routes().videos, body)
            return parse.read_videos(data, self._clock())

    async def _read_comments(self, target: PostTarget, paging: CommentPaging) -> None:
        body = {
            "video_id": int(target.platform_video_id),
            "max_count": routes().comments.page_size,
            "cursor": int(paging.cursor or 0),
        }
        with self._client.circuit(routes().comments):
            data = await self._client.query(routes().comments, body)
            paging.add_page(parse.read_comments(data, target, self._clock()))


def _months_back(now: datetime, since: datetime) -> Iterator[Window]:
    """Yield windows of the longest period of a query, newest first, back to `since`."""
    last, start = now.astimezone(UTC).date(), since.astimezone(UTC).date()
    while last >= start:
        first = max(last - timedelta(days=routes().videos.days - 1), start)
        yield first, last
        last = first - timedelta(days=1)


def _lies_in(instant: datetime, window: Window) -> bool:
    first, last = window
    return first <= instant.astimezone(UTC).date() <= last


def _days_around(item_id: str) -> Window:
    """Return days around the time in a post's id. Raises ScrapeError if it has none."""
    given_out = posting_times.in_item_id(item_id)
    if given_out is None:
        raise ScrapeError(Outcome.OUT_OF_REACH, "the post's id has no date to query")
    first = given_out.date() - timedelta(days=1)
    return first, first + timedelta(days=routes().videos.days - 1)
