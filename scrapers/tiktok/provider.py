"""TikTok as a Provider: the routes of each fetch, and its outcome."""

import asyncio
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

import httpx

from scrapers.comments import CommentPaging, explain_no_comments, require_progress
from scrapers.discovery import explain_empty_list, hold_to, listed_report
from scrapers.findings import of_account
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.provider import Clock
from scrapers.reports import failed, post_report, profile_report
from scrapers.snapshots import (
    AccountSnapshot,
    AccountTarget,
    PostTarget,
    ScrapeReport,
    VideoSnapshot,
)
from scrapers.tiktok import parse
from scrapers.tiktok.client import TikTokClient, new_session
from scrapers.tiktok.comments import COMMENT_LIST, FIRST_CURSOR
from scrapers.tiktok.embeds import CREATOR_EMBED
from scrapers.tiktok.paging import CreatorListPaging, milliseconds
from scrapers.tiktok.reader import TikTokReader
from scrapers.tiktok.settings import routes
from scrapers.transport.client import HttpClient
from scrapers.transport.pacing import Pace, Sleep
from scrapers.urls.tiktok import PLATFORM

MET_PLAYER = "embeds redirect to TikTok's Embed Player, which has no secUid"
"""Part of the detail of a new account that cannot be listed; doctor looks for it."""


class TikTokProvider:
    """Reads TikTok's public pages. `clock` (business time) dates the readings."""

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
        self._client = TikTokClient(
            HttpClient(
                base_url=base_url,
                pace=pace,
                headers=routes().headers,
                transport=transport,
                sleep=sleep,
            )
        )
        self._reader = TikTokReader(self._client, clock)

    async def profile(self, target: AccountTarget) -> ScrapeReport:
        """Read a profile, under its new handle if the account was renamed.

        If its page is refused, reads the embed: rounded counts, and not all fields.
        """
        return await profile_report(self._profile_of(target), parse.PROFILE_PAGE)

    def lists_without_profile(self, target: AccountTarget) -> bool:
        """Return whether the creator's list can be requested, which needs the secUid."""
        return target.platform_alt_id is not None

    async def discover(
        self, target: AccountTarget, *, since: datetime, known: Collection[str]
    ) -> ScrapeReport:
        """Page through the creator's list; reads the profile only if its id is unknown."""
        account = None
        paging = CreatorListPaging(
            now=self._clock(),
            since=since,
            known=known,
            due=target.due,
            behind=target.cursor_of(self.name),
            by_pages=target.by_pages,
        )
        try:
            if target.platform_alt_id is None:
                account = await self._profile_of(target)
            await self._page_through(self._sec_uid(target, account), paging)
            if paging.findings.saw_nothing:
                account = account or await self._profile_of(target)
                explain_empty_list(account, is_resumed=paging.is_resumed)
        except ScrapeError as error:
            return failed(
                error,
                parse.CREATOR_LIST,
                account=account,
                videos=of_account(target, paging.findings.videos),
                goes_on=paging.page_cursor(self.name),
            )
        report = ScrapeReport(
            outcome=Outcome.OK,
            source=parse.CREATOR_LIST,
            account=account,
            videos=of_account(target, paging.findings.videos),
            reached_known=paging.is_complete,
            goes_on=paging.page_cursor(self.name),
        )
        return listed_report(paging, target, account, report)

    async def post(self, target: PostTarget) -> ScrapeReport:
        """Read one post from its page, or from its embed if the page is refused."""
        return await post_report(self._reader.post(target), parse.POST_PAGE)

    async def comments(self, target: PostTarget) -> ScrapeReport:
        """Page through a post's comments; the post's page explains a list without any."""
        route = routes().comments
        videos: tuple[VideoSnapshot, ...] = ()
        paging = CommentPaging(
            first_cursor=FIRST_CURSOR, pages=route.pages, fruitless_pages=route.fruitless_pages
        )
        try:
            while paging.goes_on:
                paging.add_page(await self._reader.comments(target, paging.cursor or FIRST_CURSOR))
            require_progress(paging)
            if paging.saw_nothing:
                videos = (await self._reader.post(target),)
                explain_no_comments(videos[0])
        except ScrapeError as error:
            return failed(
                error, COMMENT_LIST, videos=videos, comment_crawl=paging.comment_crawl(*videos)
            )
        return ScrapeReport(
            outcome=Outcome.OK,
            source=COMMENT_LIST,
            videos=videos,
            comment_crawl=paging.comment_crawl(*videos),
        )

    async def aclose(self) -> None:
        await self._client.aclose()

    async def _profile_of(self, target: AccountTarget) -> AccountSnapshot:
        """Read the account's profile. A missing or reassigned handle may have a successor."""
        try:
            account = await self._reader.profile(target.handle, target)
            hold_to(target, account)
        except ScrapeError as error:
            is_gone = error.outcome is Outcome.NOT_FOUND
            seeks = is_gone and not self._client.http.is_hiding(parse.PROFILE_PAGE)
            renamed = await self._renamed_profile(target) if seeks else None
            if renamed is None:
                raise
            return renamed
        return account

    async def _renamed_profile(self, target: AccountTarget) -> AccountSnapshot | None:
        """Find a renamed account by its secUid: its newest posts name the current handle."""
        if target.platform_alt_id is None:
            return None
        try:
            newest = str(milliseconds(self._clock()))
            page = await self._reader.items(target.platform_alt_id, newest, new_session())
            handle = next((i.video.handle for i in page.items if i.video.handle), target.handle)
            if handle == target.handle:
                return None
            account = await self._reader.profile(handle, target)
            hold_to(target, account)
        except ScrapeError:
            return None
        return replace(account, handle=target.handle)

    async def _page_through(self, sec_uid: str, paging: CreatorListPaging) -> None:
        session = new_session()
        while paging.goes_on:
            if paging.needs_new_session:
                session = new_session()
            try:
                page = await self._reader.items(sec_uid, paging.cursor, session)
            except ScrapeError:
                if paging.is_complete:
                    return  # the remaining due posts can be read singly
                raise
            paging.add_page(page)
        if paging.is_stuck and not paging.is_complete:
            raise ScrapeError(Outcome.BLOCKED_SILENT, "the same page came repeatedly")

    def _sec_uid(self, target: AccountTarget, account: AccountSnapshot | None) -> str:
        sec_uid = target.platform_alt_id or (account and account.platform_alt_id)
        if sec_uid:
            return sec_uid
        if account and account.source == CREATOR_EMBED:
            detail = MET_PLAYER if self._reader.has_met_player else "embeds have no secUid"
            detail = f"the profile's page was refused, and {detail}"
            raise ScrapeError(Outcome.BLOCKED_SILENT, detail)
        raise ScrapeError(Outcome.SCHEMA_CHANGED, "the profile shows no secUid")
