"""A worker of one platform: queued scrape jobs first, then what is due, or everything.

Paying fetches (the end of a period, a threshold) come before each claim of jobs and every five
minutes between them, so that the long queue of one organization delays no other's period. A listing
may take longer: they also begin each minute beside whatever is under way.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from enum import Enum
from functools import partial
from itertools import takewhile
from typing import Any

import structlog

from orchestration.resources.providers import OpenProvider
from orchestration.resources.tokens import Renewals
from orchestration.running.progress import OnProgress
from orchestration.scraping.account_fetches import Fetcher
from orchestration.scraping.claimed_fetches import fetch_claimed
from orchestration.scraping.crawl import Buffer, OnFetch, Tally, crawl
from orchestration.scraping.crawl_report import pause_reports, progress_reports, retry_reports
from orchestration.scraping.failures import AWAY, by_new_connection, is_unreachable, when_back
from orchestration.scraping.patience import Patience
from orchestration.scraping.regularly import regularly
from orchestration.scraping.work_queue import WorkQueue
from scrapers.consent.registry import disconnecting, logins_of
from scrapers.consent.tokens import ConsentError
from warehouse.clock import Clock, system_clock
from warehouse.connections import rows
from warehouse.connections.storing import disconnect_all
from warehouse.encryption import Encryption
from warehouse.fetch_schedule.ahead import correct_ahead
from warehouse.fetch_schedule.budget import claim_due
from warehouse.fetch_schedule.changes import plan_changes
from warehouse.fetch_schedule.claims import ClaimedFetch, next_retry
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.clock import WrongClockError, refuse_wrong_clock
from warehouse.operational.store import OperationalStore
from warehouse.provider_settings import requests_per_day
from warehouse.registration.register import register_before_fetching, register_one
from warehouse.scrape_jobs.pauses import note_pause
from warehouse.scrape_jobs.queue import put_back
from warehouse.secret_key import secret_key
from warehouse.settings import Settings

# A fetch renews the token it needs. This renews tokens of accounts that are not fetched, such as
# deactivated ones, so that they are still connected when reactivated.
NEAR = timedelta(days=30)
LONGEST = timedelta(minutes=1)
"""Maximum time for connections before a crawl: each request may take 15 seconds."""
PAYING_EVERY = 60.0
"""Seconds between claims of paying fetches beside others."""
MOST_STAYS = 10
"""How often a worker that has made all fetches waits as long for the retry of a paying one: the
next worker may begin after the end of the period."""

log = structlog.get_logger(__name__)


def settle_connections(
    settings: Settings, store: OperationalStore, platform: str, *, clock: Clock = system_clock
) -> None:
    """Revoke ended connections, and renew a platform's consents that end within a month.

    What fails, or exceeds LONGEST, is left to the next crawl, because a crawl of all organizations
    waits. `clock` is the real one.
    """
    with store.read_session() as session:
        if not rows.are_any(session):
            return
    logins, encryption = logins_of(dict(settings)), Encryption(secret_key(settings))
    ends_at = clock() + LONGEST

    def is_in_time() -> bool:
        return clock() < ends_at

    disconnect_all(store, encryption, disconnecting(logins), is_in_time)
    if platform not in logins:
        return
    renewals = Renewals(store, encryption, logins[platform], clock)
    with store.read_session() as session:
        ending = rows.ending(session, platform, clock() + NEAR, clock())
    for connection in takewhile(lambda _: is_in_time(), ending):
        try:
            old = renewals.token_of(connection)
            renewals.note_success(renewals.renew(connection.id, old, connection.expires_at))
        except ConsentError:
            continue  # an ended consent is recorded; else the next crawl retries


class Scope(Enum):
    """What is fetched after queued scrape jobs."""

    EVERYTHING = "everything"
    """Every account, and the posts that account fetches do not refresh."""
    DUE = "due"
    """What the fetch schedule has due now (warehouse/fetch_schedule)."""
    NOTHING = "nothing"


async def fetch_platform(  # noqa: PLR0917  passed on from Dagster
    settings: Settings,
    store: OperationalStore,
    platform: str,
    open_provider: OpenProvider,
    on_progress: OnProgress,
    scope: Scope,
) -> Tally:
    """Make the account fetches of one platform, and land them; return the tally."""
    on_fetch = progress_reports(f"scrape {platform}", on_progress)
    buffer, beside = (open_buffer(settings, store, on_fetch) for _ in range(2))
    beside.tally = tally = buffer.tally
    report_pause = pause_reports(platform, on_progress)
    patience = Patience(settings.scrape_patience_seconds, on_wait=report_pause)
    concurrency = settings.scrape_concurrency
    await buffer.check_clock()  # ends of consents depend on it
    await asyncio.to_thread(settle_connections, settings, store, platform)
    await asyncio.to_thread(register_before_fetching, store, settings)
    claim = partial(_claim_planned, most=requests_per_day(settings, platform))
    check_landing = open_landing(settings).check
    async with open_provider(settings, platform) as provider:
        fetcher = Fetcher(provider, settings.clock, patience)
        work_queue = WorkQueue(store, platform, fetcher)
        fetch_due = partial(fetch_claimed, store, platform, fetcher, concurrency=concurrency)

        async def fetch_paying(into: Buffer, renew_others: Callable[[], object]) -> bool:
            await asyncio.to_thread(check_landing)  # no request whose reading would be lost
            if scope is not Scope.DUE or is_unreachable(tally.outcomes):
                return False
            paying = partial(claim, only_paying=True)
            return await fetch_due(into, paying, renew_others=renew_others)

        async def fetch_all() -> bool:
            queue, is_away = work_queue.claim_fetches(tally.jobs), False
            async with _put_back(store, work_queue, tally):
                while not tally.is_cut:
                    is_away = await fetch_paying(buffer, work_queue.renew)
                    if (jobs := next(queue, None)) is None:
                        break
                    await crawl(jobs, buffer, concurrency=concurrency, renew=work_queue.renew)
            if scope is Scope.DUE and not is_away:
                return await fetch_due(buffer, partial(claim, only_paying=False))
            return is_away

        fetch_beside = partial(fetch_paying, beside, lambda: None)
        async with regularly(partial(_unless_away, fetch_beside), PAYING_EVERY):
            on_wait = retry_reports(platform, on_progress)
            await _fetch_and_stay(store, platform, tally, scope, fetch_all, on_wait=on_wait)
        if scope is Scope.EVERYTHING:
            await _crawl_everything(work_queue, buffer, settings)
    await asyncio.to_thread(note_pause, store, settings.scrape_egress, platform, tally.wait_seconds)
    return tally


async def _fetch_and_stay(
    store: OperationalStore,
    platform: str,
    tally: Tally,
    scope: Scope,
    fetch_all: Callable[[], Awaitable[bool]],
    *,
    on_wait: Callable[[datetime], None],
) -> None:
    """Make all fetches, every PAYING_EVERY seconds while a paying one is retried soon."""
    is_away = await fetch_all()

    def retried_at() -> datetime | None:
        with store.read_session() as session:
            return next_retry(session, platform, store.clock(), is_away=is_away)

    for _ in range(MOST_STAYS if scope is Scope.DUE else 0):
        if tally.is_cut or (retry_at := await asyncio.to_thread(retried_at)) is None:
            return
        on_wait(max(retry_at, store.clock() + timedelta(seconds=PAYING_EVERY)))
        await asyncio.sleep(PAYING_EVERY)
        is_away = await fetch_all()


async def _unless_away(fetch_paying: Callable[[], Awaitable[object]]) -> None:
    """Make paying fetches; the next time does so if PostgreSQL or the landing folder is away."""
    try:
        await fetch_paying()
    except AWAY as away:
        log.warning("paying_fetches_not_made", error=str(away))


async def _crawl_everything(work_queue: WorkQueue, buffer: Buffer, settings: Settings) -> None:
    """Fetch all accounts, then posts that no list showed, unless the platform requests a pause."""
    concurrency = settings.scrape_concurrency
    if not buffer.tally.is_cut:
        await crawl(work_queue.accounts(settings.clock()), buffer, concurrency=concurrency)
    if not buffer.tally.is_cut:
        await crawl(work_queue.posts(buffer.tally.read), buffer, concurrency=concurrency)


def open_buffer(settings: Settings, store: OperationalStore, on_fetch: OnFetch) -> Buffer:
    """Return a buffer that lands and registers batches while this machine's clock is right."""
    landing = open_landing(settings)

    def compare_clocks() -> None:
        with store.read_session() as session:
            refuse_wrong_clock(session)

    register = partial(register_one, store, landing)
    compare = partial(by_new_connection, compare_clocks)
    return Buffer(LandingWriter(landing), on_fetch, register, compare)


@asynccontextmanager
async def _put_back(
    store: OperationalStore, work_queue: WorkQueue, tally: Tally
) -> AsyncIterator[None]:
    """Queue the jobs that have not landed again.

    After a requested pause, a signal to stop, with a wrong clock, or without PostgreSQL or the
    landing folder.
    """
    is_stopped = False
    try:
        yield
    except (asyncio.CancelledError, WrongClockError, *AWAY):
        is_stopped = True
        raise
    finally:
        left = [job for key, job in work_queue.claimed.items() if key not in tally.jobs]
        if left and (is_stopped or tally.is_cut):
            await asyncio.to_thread(when_back, put_back, store, left, tally.wait_seconds or 0)


def _claim_planned(
    store: OperationalStore, platform: str, limit: int, **rules: Any
) -> list[ClaimedFetch]:
    """Update the fetch schedule, then claim from it.

    Else a worker that always finds due fetches would never learn of a new account or deadline.
    """
    with store.write_session() as session:
        correct_ahead(session, store.clock())
        plan_changes(session)
    return claim_due(store, platform, limit, **rules)
