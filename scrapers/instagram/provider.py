"""Instagram as a Provider: the routes of each fetch, and its outcome."""

import asyncio
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

import httpx

from scrapers.discovery import (
    TimelinePage,
    TimelinePaging,
    explain_empty_list,
    hold_to,
    listed_report,
)
from scrapers.findings import ListedPost, under_each_author
from scrapers.instagram import parse
from scrapers.instagram.client import InstagramClient
from scrapers.instagram.comment_crawl import crawl_comments
from scrapers.instagram.paging import NewestPages, timeline_paging, with_plays
from scrapers.instagram.settings import routes
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.provider import Clock
from scrapers.reports import failed
from scrapers.snapshots import (
    AccountSnapshot,
    AccountTarget,
    PostTarget,
    ScrapeReport,
    VideoSnapshot,
    newest_of,
)
from scrapers.transport.client import HttpClient
from scrapers.transport.pacing import Pace, Sleep
from scrapers.urls.instagram import PLATFORM


class InstagramProvider:
    """Reads Instagram's public pages. `clock` (business time) dates the readings."""

    platform = PLATFORM
    name = "web"

    def __init__(
        self,
        *,
        base_url: str,
        pace: Pace,
        clock: Clock,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._newest_pages = NewestPages(clock)
        self._client = InstagramClient(
            HttpClient(
                base_url=base_url,
                pace=pace,
                headers=routes().headers,
                transport=transport,
                sleep=sleep,
            )
        )

    async def profile(self, target: AccountTarget) -> ScrapeReport:
        """Read a profile, under its new handle if the account was renamed (see `discover`)."""
        try:
            page = await self._profile_of(target)
        except ScrapeError as error:
            return failed(error, parse.PROFILE_PAGE)
        self._newest_pages.store(target.handle, page)
        return ScrapeReport(outcome=Outcome.OK, source=parse.PROFILE_PAGE, account=page.account)

    async def discover(
        self, target: AccountTarget, *, since: datetime, known: Collection[str]
    ) -> ScrapeReport:
        """Page through the timeline from the profile's page on; plays come from the reels tab.

        Posts of a timeline have no counters, and their time comes from the id. The reels tab is
        read even if the timeline fails, which ends for guests at a wall after its first page. If
        the tab cannot be read the fetch still counts, and `detail` says so. A renamed account is
        found by a known post of its own, and `report.account` has its new handle. A page that the
        profile fetch has just read and reported is not requested again, nor between pages.
        """
        paging = timeline_paging(
            since=since, known=known, behind=target.cursor_of(self.name), by_pages=target.by_pages
        )
        target = replace(target, known_post=target.known_post or newest_of(known))
        cached_page = self._newest_pages.pop(target.handle, target.platform_user_id)
        try:
            page = cached_page or await self._profile_of(target)
        except ScrapeError as error:
            return failed(error, parse.TIMELINE)
        owner = replace(
            target,
            platform_user_id=page.account.platform_user_id,
            handle=page.account.observed_handle,
        )
        report = await self._timeline_of(page, paging, target)
        if cached_page:
            report = replace(report, account=None)
        if report.outcome is Outcome.PRIVATE:
            return report
        if target.by_pages and report.outcome is Outcome.OK and report.goes_on:
            self._newest_pages.store(target.handle, page)  # the tab is read after the last page
            return replace(report, videos=tuple(under_each_author(owner, paging.findings.videos)))
        reels, trouble = await self._reels_of(page.account)
        return replace(
            report,
            detail="; ".join(filter(None, (report.detail, trouble))) or None,
            videos=tuple(under_each_author(owner, with_plays(paging.findings, reels))),
        )

    async def post(self, target: PostTarget) -> ScrapeReport:
        """Read one post from its page, or by a guest query if the page's format is unknown."""
        source = parse.POST_PAGE
        try:
            try:
                video = await self._post_from_page(target.platform_video_id, target.known_as)
            except ScrapeError as error:
                if error.outcome is not Outcome.SCHEMA_CHANGED:
                    raise
                source = parse.POST_QUERY
                video = await self._post_from_query(target)
        except ScrapeError as error:
            return failed(error, source)
        return ScrapeReport(outcome=Outcome.OK, source=source, videos=(video,))

    async def comments(self, target: PostTarget) -> ScrapeReport:
        """Read the first comments from the post's page, which proves it exists, then page on."""
        return await crawl_comments(self._client, target.platform_video_id, self._clock)

    async def aclose(self) -> None:
        await self._client.aclose()

    async def _profile_of(self, target: AccountTarget) -> parse.ProfilePage:
        """Read the account's page. A missing or reassigned handle may have a successor."""
        try:
            page = await self._read_profile(target.handle, target.known_as)
            hold_to(target, page.account)
        except ScrapeError as error:
            is_gone = error.outcome is Outcome.NOT_FOUND
            seeks = is_gone and not self._client.http.is_hiding(parse.PROFILE_PAGE)
            renamed = await self._renamed_profile(target) if seeks else None
            if renamed is None:
                raise
            return renamed
        return page

    async def _renamed_profile(self, target: AccountTarget) -> parse.ProfilePage | None:
        """Find a renamed account by its known post, whose page names its owner."""
        if target.platform_user_id is None or target.known_post is None:
            return None
        try:
            post = await self._post_from_page(target.known_post)
            if post.handle is None or post.platform_user_id != target.platform_user_id:
                return None
            page = await self._read_profile(post.handle)
            hold_to(target, page.account)
        except ScrapeError:
            return None
        return replace(page, account=replace(page.account, handle=target.handle))

    async def _read_profile(self, handle: str, known: str | None = None) -> parse.ProfilePage:
        with self._client.http.circuit(parse.PROFILE_PAGE, known):
            html = await self._client.profile_page(handle)
            return parse.parse_profile_page(html, handle=handle, captured_at=self._clock())

    async def _timeline_of(
        self, page: parse.ProfilePage, paging: TimelinePaging, target: AccountTarget
    ) -> ScrapeReport:
        """Page through a timeline and return the outcome; the posts are in `paging`."""
        try:
            await self._page_through(page, paging)
        except ScrapeError as error:
            return failed(
                error, parse.TIMELINE, account=page.account, goes_on=paging.page_cursor(self.name)
            )
        report = ScrapeReport(
            outcome=Outcome.OK,
            source=parse.TIMELINE,
            account=page.account,
            reached_known=paging.is_complete,
            goes_on=paging.page_cursor(self.name),
        )
        return listed_report(paging, target, page.account, report)

    async def _page_through(self, page: parse.ProfilePage, paging: TimelinePaging) -> None:
        """Add the page's own timeline, then pages by query, until the paging is done."""
        if page.timeline and not paging.is_resumed:
            paging.add_page(page.timeline)
        elif page.account.is_private:
            explain_empty_list(page.account)
        while paging.goes_on:
            paging.add_page(await self._next_page(page.account, paging.cursor))
        if paging.findings.saw_nothing:
            explain_empty_list(page.account, is_resumed=paging.is_resumed)
        paging.require_progress()

    async def _next_page(self, account: AccountSnapshot, cursor: str | None) -> TimelinePage:
        with self._client.http.circuit(parse.TIMELINE):
            if cursor is None or account.platform_alt_id is None:
                is_first = True
                text = await self._client.first_posts(account.observed_handle, cursor)
            else:
                is_first = False
                text = await self._client.more_posts(account.platform_alt_id, cursor)
            return parse.parse_timeline(
                text, account=account, captured_at=self._clock(), is_first=is_first
            )

    async def _reels_of(
        self, account: AccountSnapshot
    ) -> tuple[tuple[ListedPost, ...], str | None]:
        """Return the reels of the tab, or none and the reason."""
        try:
            with self._client.http.circuit(parse.REELS_TAB):
                html = await self._client.reels_page(account.observed_handle)
                tab = parse.parse_reels_tab(html, account=account, captured_at=self._clock())
        except ScrapeError as error:
            return (), f"plays unknown, reels tab: {error}"
        return tab.posts, None

    async def _post_from_page(self, pk: str, known: str | None = None) -> VideoSnapshot:
        with self._client.http.circuit(parse.POST_PAGE, known):
            html = await self._client.post_page(pk)
            return parse.parse_post_page(html, pk=pk, captured_at=self._clock())

    async def _post_from_query(self, target: PostTarget) -> VideoSnapshot:
        pk = target.platform_video_id
        with self._client.http.circuit(parse.POST_QUERY, target.known_as):
            text = await self._client.post_answer(pk)
            return parse.parse_post_answer(text, pk=pk, captured_at=self._clock())
