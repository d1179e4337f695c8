"""Fetches what is due, in slices, concurrently with other workers (warehouse/fetch_schedule).

A slice is claimed, fetched, landed and only then settled. If a worker dies in between, its slice
is due again after the lease, and nothing that was settled is fetched twice. Account fetches that
did not begin in time are released.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from orchestration.scraping.account_fetches import Fetcher
from orchestration.scraping.crawl import AccountFetch, Buffer, ReadPosts, crawl
from orchestration.scraping.failures import is_unreachable, when_back
from orchestration.scraping.fetches import Fetch
from orchestration.scraping.work_queue import BEGUN_WITHIN, account_target, cut_listing
from scrapers.outcomes import Outcome
from scrapers.snapshots import PostTarget
from scrapers.transport.breaker import SECONDS_OPEN
from warehouse.clock import Clock, system_clock
from warehouse.fetch_schedule.budget import claim_due
from warehouse.fetch_schedule.claims import ClaimedFetch, claim_others, release, renew, settle
from warehouse.fetch_schedule.due_posts import DuePost, due_posts
from warehouse.fetch_schedule.rule import RETRY
from warehouse.operational.store import OperationalStore
from warehouse.scrape_jobs.targets import AccountToScrape, accounts_to_fetch

CLAIMED_AT_A_TIME = 50
"""Size of a slice: enough to keep requests in flight, few enough to land well within a lease."""
FEW = 3
"""If at most so many accounts newly get no answer, they fail, not the platform: some always do."""
RETRIES_SOON_FOR = timedelta(minutes=15)
"""How long posts, or the list, of an account that answers are retried after minutes. Then they have
failed, else one that never answers would delay the account's others and have its profile and list
read each time.
"""
ACCOUNT = "account"
"""Stands for an account's profile and list among the ids of its posts."""

Claim = Callable[[OperationalStore, str, int], list[ClaimedFetch]]
"""Claims at most so many account fetches of a platform."""


class Slice:
    """A slice of claimed account fetches, and their progress."""

    def __init__(
        self,
        store: OperationalStore,
        platform: str,
        fetcher: Fetcher,
        claimed: Sequence[ClaimedFetch],
        real_clock: Clock = system_clock,
    ) -> None:
        self._store = store
        self._platform = platform
        self._fetcher = fetcher
        self._claimed = [*claimed]
        self._real_clock = real_clock
        self._ended = set[ClaimedFetch]()
        self._failed: dict[ClaimedFetch, datetime] = {}
        self._fetched: set[str] = set()
        self.outcomes = set[str]()
        self.requested = set[str]()
        """Subjects of which something was requested; of the others, all routes pause."""

    def account_fetches(self) -> Iterator[AccountFetch]:
        """Yield the account fetches: lists first, then single pages for the other posts."""
        subjects = [claimed.subject for claimed in self._claimed]
        with self._store.read_session() as session:
            now = self._store.clock()
            accounts = accounts_to_fetch(session, self._platform, subjects, now)
            due = due_posts(session, self._platform, subjects, now)
        self._claimed = [  # one whose user id became known since the claim is due by that id
            each if each.subject in accounts else replace(each, with_account=False)
            for each in self._claimed
        ]
        for claimed in self._claimed:
            if self._store.clock() - claimed.claimed_at > BEGUN_WITHIN:
                return
            if not self._is_leased(claimed):
                continue
            account = accounts.get(claimed.subject)
            yield partial(self._account_fetch, claimed, account, due[claimed.subject])

    def settle(self) -> None:
        """Settle the fetches that ended, all of which have landed, and release the rest."""
        ended = [claimed for claimed in self._claimed if claimed in self._ended]
        when_back(settle, self._store, self._platform, ended, self._fetched, self._failed)
        when_back(release, self._store, set(self._claimed) - self._ended)

    def renew(self) -> None:
        """Extend the lease on the account fetches."""
        renew(self._store, self._claimed)

    def give_back(self) -> None:
        """Release everything: the landed part is unknown, or the platform was unreachable."""
        when_back(release, self._store, self._claimed)

    def subjects(self) -> set[str]:
        return {claimed.subject for claimed in self._claimed}

    def are_few_new(self, *, but: set[str]) -> bool:
        """Return whether all ended, and at most FEW, `but` some, had not failed before."""
        new = {claimed.subject for claimed in self._claimed if claimed.row.failing_since is None}
        return len(new - but) <= FEW and self._ended.issuperset(self._claimed)

    async def _account_fetch(
        self, claimed: ClaimedFetch, account: AccountToScrape | None, due: Sequence[DuePost]
    ) -> AsyncIterator[Fetch]:
        read = ReadPosts()
        outcomes, unanswered = set[Outcome](), set[str]()
        was_left, is_put_off = False, True
        async for fetch in self._fetches(claimed, account, due, read):
            read.note(fetch)
            was_left |= fetch.was_left
            is_put_off &= fetch.is_put_off
            outcomes.add(fetch.report.outcome)
            self.outcomes.add(fetch.report.outcome.value)
            is_answered = not fetch.is_put_off and fetch.report.outcome is not Outcome.UNREACHABLE
            note = unanswered.discard if is_answered else unanswered.add
            note(getattr(fetch.target, "platform_video_id", ACCOUNT))  # the last page of its list
            yield fetch
            if not self._is_leased(claimed):
                return
        if was_left:
            return
        self._ended.add(claimed)
        if not is_put_off:
            self.requested.add(claimed.subject)
        is_failed = bool(outcomes) and (is_put_off or outcomes == {Outcome.UNREACHABLE})
        if account is not None and is_failed:
            self._failed[claimed] = claimed.row.failing_since or claimed.claimed_at
            return
        self._fetched.update(post.platform_video_id for post in due)
        soon = {post.platform_video_id for post in due if post.retries_soon} & unanswered
        is_unlisted = claimed.with_account and ACCOUNT in unanswered
        if (soon or is_unlisted) and (since := _retrying_since(claimed)):
            self._failed[claimed] = since
            self._fetched -= soon

    def _is_leased(self, claimed: ClaimedFetch) -> bool:
        """Return whether it is ours by its latest lease: this worker may have slept."""
        ends = claimed.row.lease_expires_at
        return ends is not None and self._real_clock() < ends

    async def _fetches(
        self,
        claimed: ClaimedFetch,
        account: AccountToScrape | None,
        due: Sequence[DuePost],
        read: ReadPosts,
    ) -> AsyncIterator[Fetch]:
        """Fetch the account, if any, then the due posts that it did not `read`."""
        if account is not None:
            posted = {post.platform_video_id: post.posted_at for post in due}
            async for fetch in self._fetcher.account(
                account_target(replace(account, due=posted)),  # its list is read down to them
                since=account.since,
                known=account.known,
                searched_at=account.searched_at,
                undated=account.undated,
                cut=cut_listing(account),
                with_profile=claimed.with_account,
            ):
                yield fetch
        left = [self._post(post) for post in due if not read.has(post)]
        at_once = self._fetcher.posts_at_once
        for first in range(0, len(left), at_once):
            async for fetch in self._fetcher.posts(left[first : first + at_once]):
                yield fetch

    def _post(self, post: DuePost) -> PostTarget:
        return PostTarget(
            platform=self._platform,
            platform_video_id=post.platform_video_id,
            handle=post.handle,
            platform_user_id=post.platform_user_id,
            was_read=post.was_read,
            has_views=post.has_views,
        )


def _retrying_since(claimed: ClaimedFetch) -> datetime | None:
    """Return since when it has been retried, now if not yet; None after RETRIES_SOON_FOR."""
    since = claimed.row.failing_since
    if since is None or claimed.claimed_at - since >= timedelta(seconds=RETRY):  # as an account
        return claimed.claimed_at
    return since if claimed.claimed_at - since < RETRIES_SOON_FOR else None


async def fetch_claimed(
    store: OperationalStore,
    platform: str,
    fetcher: Fetcher,
    buffer: Buffer,
    claim: Claim = claim_due,
    *,
    concurrency: int,
    renew_others: Callable[[], object] = lambda: None,
) -> bool:
    """Claim and make all due account fetches, and extend the leases of others meanwhile.

    A slice without any answer is released, and a few others decide after the pause of its routes.
    If one is answered, the slice is still due, and requested again before it fails. Else the
    platform is unreachable (returns True): all stay due. An outage can begin between two slices.
    """
    silent: Slice | None = None
    doubted = set[str]()  # released without an answer: silent once more, they fail
    while not buffer.tally.is_cut:
        others = silent and partial(claim_others, but=silent.requested)
        if not (claimed := await _claimed(store, platform, others or claim)):
            return silent is not None
        some = Slice(store, platform, fetcher, claimed)

        def renew_all(some: Slice = some) -> None:
            some.renew()
            renew_others()

        try:
            await asyncio.sleep(SECONDS_OPEN if silent else 0)
            await crawl(some.account_fetches(), buffer, concurrency=concurrency, renew=renew_all)
        except BaseException:
            await asyncio.to_thread(some.give_back)
            raise
        is_doubtful = silent is not None or not some.are_few_new(but=doubted)
        is_away = is_doubtful and is_unreachable(some.outcomes)
        await asyncio.to_thread(some.give_back if is_away else some.settle)
        if is_away and silent:
            return True
        if is_away or not silent:
            doubted = some.subjects() if is_away else set()
        silent = some if is_away else None
    return False


async def _claimed(store: OperationalStore, platform: str, claim: Claim) -> list[ClaimedFetch]:
    """Claim in a thread; release what it claims while the scrape is stopped."""
    claiming = asyncio.create_task(asyncio.to_thread(claim, store, platform, CLAIMED_AT_A_TIME))
    try:
        return await asyncio.shield(claiming)
    except asyncio.CancelledError:
        while not claiming.done():
            with suppress(asyncio.CancelledError):  # of further signals
                await asyncio.wait([claiming])
        await asyncio.to_thread(when_back, release, store, claiming.result())
        raise
