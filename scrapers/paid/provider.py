"""Any commercial provider as a Provider: what its looks take, and what their endings mean."""

import asyncio
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

import httpx
from pydantic import SecretStr

from scrapers.comments import CommentPaging, explain_no_comments, require_progress
from scrapers.discovery import TimelinePaging, explain_empty_list
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.paid.budget import Budget
from scrapers.paid.client import PaidClient
from scrapers.paid.dialect import CommentDialect, Dialect
from scrapers.paid.identity import require_account
from scrapers.paid.settings import COMMENTS, POST, POSTS, PROFILE
from scrapers.provider import Clock
from scrapers.reports import failed
from scrapers.snapshots import (
    AccountSnapshot,
    AccountTarget,
    CommentWalk,
    PostTarget,
    ScrapeReport,
    VideoSnapshot,
)
from scrapers.transport.pacing import Pace, Sleep


class PaidProvider:
    """Asks a commercial provider, in its dialect. `clock` (business time) dates what is seen."""

    def __init__(
        self,
        dialect: Dialect,
        *,
        key: SecretStr,
        budget: Budget,
        base_url: str,
        pace: Pace,
        clock: Clock,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self.platform = dialect.platform
        self.name = dialect.routes.name
        self._dialect = dialect
        self._clock = clock
        self._client = PaidClient(
            dialect.routes,
            dialect.platform,
            key=key,
            budget=budget,
            base_url=base_url,
            pace=pace,
            transport=transport,
            sleep=sleep,
        )

    async def profile(self, target: AccountTarget) -> ScrapeReport:
        """Read a profile."""
        source = self._source(PROFILE)
        try:
            account = await self._read_profile(target)
        except ScrapeError as error:
            return failed(error, source)
        return ScrapeReport(outcome=Outcome.OK, source=source, account=account)

    def lists_without_profile(self, target: AccountTarget) -> bool:
        """Tell whether what names the account's posts is known without its profile."""
        return not self._dialect.lists_by_user_id or target.platform_user_id is not None

    async def discover(
        self, target: AccountTarget, *, since: datetime, known: Collection[str]
    ) -> ScrapeReport:
        """Page through an account's posts; the profile is read only where the look needs it."""
        source, account = self._source(POSTS), None
        limits = self._dialect.routes.timeline
        paging = TimelinePaging(
            since=since, known=known, pages=limits.pages, fruitless_pages=limits.fruitless_pages
        )
        try:
            if not self.lists_without_profile(target):
                account = await self._read_profile(target)
                target = replace(target, platform_user_id=account.platform_user_id)
            await self._page_through(target, paging)
            if paging.findings.saw_nothing:
                account = account or await self._read_profile(target)
                explain_empty_list(account)
        except ScrapeError as error:
            return failed(error, source, account=account, videos=paging.findings.videos)
        return ScrapeReport(
            outcome=Outcome.OK,
            source=source,
            account=account,
            videos=paging.findings.videos,
            reached_known=paging.is_complete,
        )

    async def post(self, target: PostTarget) -> ScrapeReport:
        """Read one post."""
        source = self._source(POST)
        try:
            video = await self._read_post(target)
        except ScrapeError as error:
            return failed(error, source)
        return ScrapeReport(outcome=Outcome.OK, source=source, videos=(video,))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    def _source(self, capability: str) -> str:
        return f"{self.name}.{self.platform}_{capability}"

    async def _read_profile(self, target: AccountTarget) -> AccountSnapshot:
        with self._client.judged(PROFILE):
            answer = await self._client.ask(PROFILE, self._dialect.profile_params(target))
            account = self._dialect.account(answer, target, self._clock())
            account = replace(account, source=self._source(PROFILE))
        require_account(target, account)
        return account

    async def _page_through(self, target: AccountTarget, paging: TimelinePaging) -> None:
        while paging.goes_on:
            with self._client.judged(POSTS):
                params = self._dialect.posts_params(target, paging.cursor)
                answer = await self._client.ask(POSTS, params)
                page = self._dialect.page(answer, target, self._clock())
            source = self._source(POSTS)
            posts = tuple(replace(p, video=replace(p.video, source=source)) for p in page.posts)
            paging.take(replace(page, posts=posts))
        if paging.is_stuck:
            raise ScrapeError(Outcome.BLOCKED_SILENT, "pages without a new post, again and again")

    async def _read_post(self, target: PostTarget) -> VideoSnapshot:
        with self._client.judged(POST):
            answer = await self._client.ask(POST, self._dialect.post_params(target))
            video = self._dialect.video(answer, target, self._clock())
        return replace(video, source=self._source(POST))


class PaidCommentProvider(PaidProvider):
    """A commercial provider that shows comments too."""

    def __init__(self, dialect: CommentDialect, **made_of: object) -> None:
        super().__init__(dialect, **made_of)  # type: ignore[arg-type]  # the same as its own
        self._of_comments = dialect

    async def comments(self, target: PostTarget) -> ScrapeReport:
        """Page through a post's comments; the post itself tells what a list without any means."""
        source, limits = self._source(COMMENTS), self._dialect.routes.comments
        videos: tuple[VideoSnapshot, ...] = ()
        paging = CommentPaging(
            first_cursor=None, pages=limits.pages, fruitless_pages=limits.fruitless_pages
        )
        try:
            while paging.goes_on:
                await self._take_comments(target, paging)
            require_progress(paging)
            if paging.saw_nothing:
                videos = (await self._read_post(target),)
                explain_no_comments(videos[0])
        except ScrapeError as error:
            return failed(error, source, videos=videos, walk=self._walk(paging, videos))
        return ScrapeReport(
            outcome=Outcome.OK, source=source, videos=videos, walk=self._walk(paging, videos)
        )

    async def _take_comments(self, target: PostTarget, paging: CommentPaging) -> None:
        dialect, cursor, source = self._of_comments, paging.cursor, self._source(COMMENTS)
        with self._client.judged(COMMENTS):
            answer = await self._client.ask(COMMENTS, dialect.comments_params(target, cursor))
            page = dialect.comment_page(answer, target, cursor, self._clock())
        paging.take(
            replace(page, comments=tuple(replace(one, source=source) for one in page.comments))
        )

    def _walk(self, paging: CommentPaging, videos: tuple[VideoSnapshot, ...]) -> CommentWalk:
        walk = paging.walk(*videos)
        return replace(walk, is_complete=walk.is_complete and self._of_comments.tells_all_comments)
