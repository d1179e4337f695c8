"""Any commercial provider as a Provider: requests of each fetch, and its outcome."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from scrapers.comments import CommentPaging, explain_no_comments, require_progress
from scrapers.discovery import TimelinePaging, explain_empty_list, listed_report
from scrapers.findings import under_each_author
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.paid.client import PaidClient
from scrapers.paid.dialect import Dialect
from scrapers.paid.identity import require_account
from scrapers.paid.settings import COMMENTS, POST, POSTS, PROFILE
from scrapers.provider import Clock
from scrapers.reports import failed, post_report, profile_report
from scrapers.snapshots import (
    AccountSnapshot,
    AccountTarget,
    CommentCrawl,
    PageCursor,
    PostTarget,
    ScrapeReport,
    VideoSnapshot,
)


class PaidProvider:
    """Requests a commercial provider in its dialect. `clock` (business time) dates the readings."""

    def __init__(self, dialect: Dialect, client: PaidClient, *, clock: Clock) -> None:
        self.platform = dialect.platform
        self.name = dialect.routes.name
        self._dialect = dialect
        self._clock = clock
        self._client = client

    async def profile(self, target: AccountTarget) -> ScrapeReport:
        return await profile_report(self._read_profile(target), self._source(PROFILE))

    def lists_without_profile(self, target: AccountTarget) -> bool:
        """Return whether the posts can be requested without the account's profile."""
        return not self._dialect.lists_by_user_id or target.platform_user_id is not None

    async def discover(
        self, target: AccountTarget, *, since: datetime, known: Collection[str]
    ) -> ScrapeReport:
        """Page through an account's posts; reads the profile only if needed."""
        source, account = self._source(POSTS), None
        paging = self._paging(target, since, known)
        try:
            if not self.lists_without_profile(target):
                account = await self._read_profile(target)
                target = replace(target, platform_user_id=account.platform_user_id)
            await self._page_through(target, paging)
            if paging.findings.saw_nothing:
                account = account or await self._read_profile(target)
                explain_empty_list(account, is_resumed=paging.is_resumed)
        except ScrapeError as error:
            return failed(
                error,
                source,
                account=account,
                videos=tuple(under_each_author(target, paging.findings.videos)),
                goes_on=self._page_cursor(paging),
            )
        report = ScrapeReport(
            outcome=Outcome.OK,
            source=source,
            account=account,
            videos=tuple(under_each_author(target, paging.findings.videos)),
            reached_known=paging.is_complete,
            goes_on=self._page_cursor(paging),
        )
        return listed_report(paging, target, account, report)

    async def post(self, target: PostTarget) -> ScrapeReport:
        return await post_report(self._read_post(target), self._source(POST))

    async def aclose(self) -> None:
        await self._client.aclose()

    def _paging(
        self, target: AccountTarget, since: datetime, known: Collection[str]
    ) -> TimelinePaging:
        """Return the paging: it reads on where a page costs less than single posts."""
        limits = self._dialect.routes.timeline
        return TimelinePaging(
            since=since,
            known=known,
            due=target.due,
            pages=limits.pages,
            fruitless_pages=limits.fruitless_pages,
            behind=target.cursor_of(self.name),
            by_pages=target.by_pages,
        )

    def _page_cursor(self, paging: TimelinePaging) -> PageCursor | None:
        """Return where a later fetch can continue the paging."""
        return paging.page_cursor(self.name)

    def _source(self, capability: str) -> str:
        return f"{self.name}.{self.platform}_{capability}"

    async def _read_profile(self, target: AccountTarget) -> AccountSnapshot:
        with self._client.http.circuit(PROFILE):
            answer = await self._client.ask(PROFILE, self._dialect.profile_params(target))
            account = self._dialect.account(answer, target, self._clock())
            account = replace(account, source=self._source(PROFILE))
        require_account(target, account)
        return account

    async def _page_through(self, target: AccountTarget, paging: TimelinePaging) -> None:
        while paging.goes_on:
            with self._client.http.circuit(POSTS):
                params = self._dialect.posts_params(target, paging.cursor)
                answer = await self._client.ask(POSTS, params)
                page = self._dialect.page(answer, target, self._clock())
                source = self._source(POSTS)
                posts = tuple(replace(p, video=replace(p.video, source=source)) for p in page.posts)
                paging.add_page(replace(page, posts=posts))
        paging.require_progress()

    async def _read_post(self, target: PostTarget) -> VideoSnapshot:
        with self._client.http.circuit(POST):
            answer = await self._client.ask(POST, self._dialect.post_params(target))
            video = self._dialect.video(answer, target, self._clock())
        return replace(video, source=self._source(POST))

    async def comments(self, target: PostTarget) -> ScrapeReport:
        """Page through a post's comments; the post explains a list without any."""
        source, limits = self._source(COMMENTS), self._dialect.routes.comments
        videos: tuple[VideoSnapshot, ...] = ()
        paging = CommentPaging(
            first_cursor=None, pages=limits.pages, fruitless_pages=limits.fruitless_pages
        )
        try:
            while paging.goes_on:
                await self._read_comments(target, paging)
            require_progress(paging)
            if paging.saw_nothing:
                videos = (await self._read_post(target),)
                explain_no_comments(videos[0])
        except ScrapeError as error:
            return failed(
                error, source, videos=videos, comment_crawl=self._comment_crawl(paging, videos)
            )
        return ScrapeReport(
            outcome=Outcome.OK,
            source=source,
            videos=videos,
            comment_crawl=self._comment_crawl(paging, videos),
        )

    async def _read_comments(self, target: PostTarget, paging: CommentPaging) -> None:
        dialect, cursor, source = self._dialect, paging.cursor, self._source(COMMENTS)
        with self._client.http.circuit(COMMENTS):
            answer = await self._client.ask(COMMENTS, dialect.comments_params(target, cursor))
            page = dialect.comment_page(answer, target, cursor, self._clock())
        paging.add_page(
            replace(
                page, comments=tuple(replace(comment, source=source) for comment in page.comments)
            )
        )

    def _comment_crawl(
        self, paging: CommentPaging, videos: tuple[VideoSnapshot, ...]
    ) -> CommentCrawl:
        comment_crawl = paging.comment_crawl(*videos)
        return replace(
            comment_crawl,
            is_complete=comment_crawl.is_complete and self._dialect.lists_all_comments,
        )
