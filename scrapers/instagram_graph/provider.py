"""Instagram's official API as a Provider: requests of each fetch, and its outcome.

It shows professional accounts only, and by their current handle only. It does not distinguish
renamed, deleted, personal and age-gated accounts: all are out of reach.
"""

import asyncio
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

import httpx

from scrapers.discovery import explain_empty_list, hold_to, listed_report
from scrapers.instagram_graph import client, parse
from scrapers.instagram_graph.client import GraphClient
from scrapers.instagram_graph.parse import MediaPaging, missing_post
from scrapers.instagram_graph.settings import routes
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.provider import Clock, Credentials
from scrapers.reports import failed, post_report
from scrapers.snapshots import (
    AccountSnapshot,
    AccountTarget,
    PostTarget,
    ScrapeReport,
    VideoSnapshot,
)
from scrapers.transport.client import HttpClient
from scrapers.transport.pacing import Pace, Sleep
from scrapers.urls.instagram import PLATFORM


class InstagramGraphProvider:
    """Requests business discovery with `credentials`; `clock` (business time) dates readings."""

    platform = PLATFORM
    name = "graph"

    def __init__(
        self,
        *,
        base_url: str,
        pace: Pace,
        clock: Clock,
        credentials: Credentials,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        token = credentials.access_token.get_secret_value()
        self._clock = clock
        self._client = GraphClient(
            HttpClient(
                base_url=base_url,
                pace=pace,
                headers={**routes().headers, "Authorization": f"Bearer {token}"},
                secrets=(token,),
                usual_pause=routes().usage.pause_seconds,
                requested_pause=client.requested_pause,
                transport=transport,
                sleep=sleep,
            ),
            user_id=credentials.user_id,
        )

    async def profile(self, target: AccountTarget) -> ScrapeReport:
        try:
            with self._client.http.circuit():
                answer = await self._client.profile(target.handle)
                account = parse.parse_profile(
                    answer, handle=target.handle, captured_at=self._clock()
                )
            hold_to(target, account)
        except ScrapeError as error:
            return failed(error, parse.SOURCE)
        return ScrapeReport(outcome=Outcome.OK, source=parse.SOURCE, account=account)

    async def discover(
        self, target: AccountTarget, *, since: datetime, known: Collection[str]
    ) -> ScrapeReport:
        """Page through an account's posts, back to `since` and to the oldest that is due.

        Every page has the account too; the first one is reported.
        """
        account = None
        paging = MediaPaging(
            since=since,
            known=known,
            due=target.due,
            behind=target.cursor_of(self.name),
            by_pages=target.by_pages,
        )
        try:
            first = await self._next_page(target.handle, paging)
            hold_to(target, first.account)
            account = first.account
            paging.add_page(first.timeline)
            await self._page_through(target.handle, paging)
            if paging.findings.saw_nothing:
                explain_empty_list(account, is_resumed=paging.is_resumed)
        except ScrapeError as error:
            return failed(
                error,
                parse.SOURCE,
                account=account,
                videos=paging.findings.videos,
                goes_on=paging.page_cursor(self.name),
            )
        report = ScrapeReport(
            outcome=Outcome.OK,
            source=parse.SOURCE,
            account=account,
            videos=paging.findings.videos,
            reached_known=paging.is_complete,
            goes_on=paging.page_cursor(self.name),
        )
        return listed_report(paging, target, account, report)

    async def post(self, target: PostTarget) -> ScrapeReport:
        """Page through the posts of the post's account until it is found.

        OUT_OF_REACH without a handle, or if the API does not show the account, which says nothing
        about the post. POST_UNAVAILABLE if it shows the account without the post.
        """
        report = await post_report(self._find(target), parse.SOURCE)
        is_account_missing = report.outcome is Outcome.NOT_FOUND
        return replace(report, outcome=Outcome.OUT_OF_REACH) if is_account_missing else report

    async def aclose(self) -> None:
        await self._client.aclose()

    async def _next_page(self, handle: str, paging: MediaPaging) -> parse.DiscoveryPage:
        with self._client.http.circuit():
            answer = await self._client.page(handle, paging.cursor)
            return parse.parse_page(answer, handle=handle, captured_at=self._clock())

    async def _page_through(self, handle: str, paging: MediaPaging) -> AccountSnapshot | None:
        """Add pages until the paging is done; returns the account as the last one shows it."""
        account = None
        while paging.goes_on:
            page = await self._next_page(handle, paging)
            paging.add_page(page.timeline)
            account = page.account
        paging.require_progress()
        return account

    async def _find(self, target: PostTarget) -> VideoSnapshot:
        if target.handle is None:
            raise ScrapeError(
                Outcome.OUT_OF_REACH, "posts can only be found by their account's handle"
            )
        paging = MediaPaging(since=self._clock(), known={target.platform_video_id})
        account = await self._page_through(target.handle, paging)
        videos = {video.platform_video_id: video for video in paging.findings.videos}
        if target.platform_video_id not in videos:
            raise missing_post(paging, account)
        return videos[target.platform_video_id]
