"""Common parts of the providers of connected accounts: tokens, and the order of a fetch.

They can only fetch accounts that creators have connected.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import Generic, Protocol, TypeVar
from uuid import UUID

import httpx

from scrapers.consent.client import ConnectedClient
from scrapers.consent.tokens import Token, Tokens
from scrapers.discovery import TimelinePaging, explain_empty_list, listed_report
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.provider import Clock
from scrapers.reports import failed
from scrapers.snapshots import (
    AccountSnapshot,
    AccountTarget,
    PostTarget,
    ScrapeReport,
    VideoSnapshot,
)
from scrapers.transport.client import HttpClient, RequestedPause, no_requested_pause
from scrapers.transport.pacing import Pace, Sleep


class ListCrawl(Protocol):
    """A crawl back through an account's posts, with data from beside the list."""

    paging: TimelinePaging

    @property
    def videos(self) -> tuple[VideoSnapshot, ...]:
        """The posts read so far."""
        ...


ListCrawlT = TypeVar("ListCrawlT", bound=ListCrawl)


class ConnectedProvider(ABC, Generic[ListCrawlT]):
    """Fetches with the creators' `tokens`. `clock` (business time) dates the readings.

    A subclass defines the requests; its `_read_account` reads the token's account.
    """

    platform: str
    name: str
    profile_source: str
    posts_source: str
    requested_pause: RequestedPause = staticmethod(no_requested_pause)
    connection_requested_pause: RequestedPause = staticmethod(no_requested_pause)

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
            requested_pause=self.requested_pause,
            transport=transport,
            sleep=sleep,
        )
        self._client = ConnectedClient(http, tokens, self.connection_requested_pause)
        self._accounts: dict[UUID, AccountSnapshot] = {}

    async def serves(self, target: AccountTarget | PostTarget) -> bool:
        return await self._client.serves(target)

    async def profile(self, target: AccountTarget) -> ScrapeReport:
        try:
            token = await self._client.token_of(target)
            account = await self._account(target, token)
        except ScrapeError as error:
            return failed(error, self.profile_source)
        return ScrapeReport(outcome=Outcome.OK, source=self.profile_source, account=account)

    async def discover(
        self, target: AccountTarget, *, since: datetime, known: Collection[str]
    ) -> ScrapeReport:
        """Page through an account's posts, and read what the list does not show.

        The report has the account only if this fetch read it, not an earlier profile fetch.
        """
        account = seen_before = None
        crawl = self._list_crawl(target, since, known)
        try:
            token = await self._client.token_of(target)
            seen_before = self._accounts.get(token.connection_id)
            account = seen_before or await self._account(target, token)
            await self._page_through(account, token, crawl)
            if crawl.paging.findings.saw_nothing:
                explain_empty_list(account, is_resumed=crawl.paging.is_resumed)
            await self._complete(account, token, crawl)
            await self._client.note_success(token)
            report = ScrapeReport(
                outcome=Outcome.OK, source=self.posts_source, reached_known=crawl.paging.is_complete
            )
            ended = listed_report(crawl.paging, target, account, report)
        except ScrapeError as error:
            ended = failed(error, self.posts_source)
        reported = None if seen_before else account
        saw_something = bool(reported or crawl.videos)
        return replace(
            ended,
            account=reported,
            videos=crawl.videos,
            goes_on=crawl.paging.page_cursor(self.name),
            was_sent=ended.was_sent or saw_something,
            wait_seconds=None if saw_something else ended.wait_seconds,
        )

    async def aclose(self) -> None:
        await self._client.aclose()

    @abstractmethod
    async def _read_account(self, target: AccountTarget, token: Token) -> AccountSnapshot:
        """Read the token's account. Raises ScrapeError."""

    @abstractmethod
    def _list_crawl(
        self, target: AccountTarget, since: datetime, known: Collection[str]
    ) -> ListCrawlT:
        """Return the crawl through an account's posts, at its start."""

    @abstractmethod
    async def _read_page(self, account: AccountSnapshot, token: Token, crawl: ListCrawlT) -> None:
        """Read the next page. Raises ScrapeError."""

    @abstractmethod
    async def _complete(self, account: AccountSnapshot, token: Token, crawl: ListCrawlT) -> None:
        """Read what the list does not show of its posts. Raises ScrapeError."""

    async def _account(self, target: AccountTarget, token: Token) -> AccountSnapshot:
        """Read the token's account, and cache it."""
        account = await self._read_account(target, token)
        self._accounts[token.connection_id] = account
        return account

    async def _owner(self, target: PostTarget) -> tuple[AccountSnapshot, Token]:
        token = await self._client.token_of(target)
        handle = str(target.handle)  # a token implies a handle
        seen_before = self._accounts.get(token.connection_id)
        account = AccountTarget(platform=self.platform, handle=handle)
        return seen_before or await self._account(account, token), token

    async def _page_through(
        self, account: AccountSnapshot, token: Token, crawl: ListCrawlT
    ) -> None:
        while crawl.paging.goes_on:
            await self._read_page(account, token, crawl)
        crawl.paging.require_progress()
