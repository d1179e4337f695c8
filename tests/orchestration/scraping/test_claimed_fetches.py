"""Workers that claim due fetches: none is repeated, none is lost, even if workers are killed."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random
from threading import Event
from time import monotonic
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from orchestration.resources.providers import open_provider
from orchestration.running.progress import Progress, silent
from orchestration.scraping import claimed_fetches, crawl, worker
from orchestration.scraping.account_fetches import Fetcher
from orchestration.scraping.claimed_fetches import Claim, Slice, fetch_claimed
from orchestration.scraping.crawl import Buffer, Tally
from orchestration.scraping.work_queue import JOBS_AT_A_TIME
from orchestration.scraping.worker import Scope, fetch_platform
from scrapers.outcomes import Outcome
from scrapers.snapshots import AccountTarget, PageCursor, PostTarget, ScrapeReport
from tests.doses import dose
from tests.factories.machine_clock import clock_ahead
from tests.factories.tracking import add_account, add_organization, add_video, change
from tests.orchestration.own_provider import COUNTED, NOON, PROFILE
from warehouse.clock import Clock, fixed_clock, system_clock
from warehouse.fetch_schedule.budget import claim_due
from warehouse.fetch_schedule.changes import plan_changes
from warehouse.fetch_schedule.claims import MOST_OTHERS, ClaimedFetch
from warehouse.fetch_schedule.plan import plan_subjects
from warehouse.landing.in_folder import FolderLanding
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational import clock
from warehouse.operational.leases import FETCH_LEASE
from warehouse.operational.models import Account
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.registration.register import register_landed, register_one
from warehouse.scrape_jobs.queue import enqueue
from warehouse.settings import Settings

NewAccount = Callable[[bool], None]
ACCOUNTS, POSTS = 4, 5
LISTED = ScrapeReport(outcome=Outcome.OK, source="own", reached_known=True)
PUT_OFF = ScrapeReport(outcome=Outcome.CHALLENGED, source="own", was_sent=False)
NO_ANSWER = ScrapeReport(outcome=Outcome.UNREACHABLE, source="own")
ROUNDS_OF_KILLS = dose(small=12, full=42)
"""One every four hours."""


class KilledError(Exception):
    """A worker is killed at some moment."""


@dataclass
class Platform:
    """Shows each account's posts on single pages only; a worker dies after `lives_for` fetches."""

    fetches: Counter[str]
    lives_for: float = float("inf")
    is_away: bool = False
    backs_off: bool = False
    trips_over: Collection[str] = ()
    pauses: Collection[str] = ()
    clock: Clock | None = None
    platform: str = "tiktok"
    name: str = "own"
    list_report: ScrapeReport = LISTED
    read_before: Counter[bool] = field(default_factory=Counter)

    async def _asked(self, subject: str) -> None:
        await asyncio.sleep(0)
        self.lives_for -= 1
        if self.lives_for < 0:
            raise KilledError
        self.fetches[subject] += 1
        if subject in self.trips_over:
            raise KeyError if subject.startswith("demo") else TimeoutError

    async def profile(self, target: AccountTarget) -> ScrapeReport:
        await self._asked(target.handle)
        if self.backs_off:
            return ScrapeReport(outcome=Outcome.CHALLENGED, source="own", was_sent=False)
        if self.is_away:
            return ScrapeReport(outcome=Outcome.UNREACHABLE, source="own")
        account = replace(PROFILE, handle=target.handle, observed_handle=target.handle)
        account = replace(account, platform_user_id=target.platform_user_id)
        return ScrapeReport(outcome=Outcome.OK, source="own", account=account)

    async def discover(
        self, target: AccountTarget, *, since: datetime, known: Collection[str]
    ) -> ScrapeReport:
        assert since < NOON
        assert len(known) <= POSTS
        assert target.handle
        return self.list_report

    async def post(self, target: PostTarget) -> ScrapeReport:
        self.read_before[target.was_read] += 1
        await self._asked(target.platform_video_id)
        if self.backs_off or target.platform_video_id in self.pauses:
            return ScrapeReport(outcome=Outcome.CHALLENGED, source="own", was_sent=False)
        if self.is_away:
            return ScrapeReport(outcome=Outcome.UNREACHABLE, source="own")
        at = self.clock() if self.clock else NOON
        post_id = target.platform_video_id
        video = replace(COUNTED, platform_video_id=post_id, posted_at=None, captured_at=at)
        return ScrapeReport(outcome=Outcome.OK, source="own", videos=(video,))

    async def aclose(self) -> None: ...


class Work:
    """Workers on one store, at an instant set by the test."""

    def __init__(self, store: OperationalStore, home: Path) -> None:
        self._opened = store
        self._home = home
        self.now = NOON
        self.fetches: Counter[str] = Counter()
        self.registers = False

    @property
    def store(self) -> OperationalStore:
        opened = self._opened
        clock = fixed_clock(self.now)
        return OperationalStore(opened.engine, opened.snapshots, opened.autocommit, clock)

    async def meet_nobody(self) -> Tally:
        """Let a worker fetch while the platform is away."""
        return await self._worker(float("inf"), is_away=True)

    async def back_off(self) -> Tally:
        """Let a worker fetch while the platform's routes pause."""
        return await self._worker(float("inf"), backs_off=True)

    async def round(self, lives: Sequence[float] = (float("inf"),)) -> Tally:
        """Let workers fetch concurrently; return the last one's tally."""
        with self.store.write_session() as session:
            plan_changes(session)
        return (await asyncio.gather(*map(self._worker, lives)))[-1]

    async def trip_over(self, *subjects: str) -> Tally:
        """Let a worker fetch whose provider fails for these accounts and posts."""
        return await self._next_worker(trips_over=subjects)

    async def meet_behind(self, *subjects: str) -> Tally:
        """Let a worker fetch while other routes pause at first and these accounts get no answer."""
        return await self._next_worker(kind=PausedBehind, trips_over=subjects)

    async def meet_short_outage(self) -> Tally:
        """Let a worker fetch while the first four requests get no answer."""
        return await self._next_worker(kind=AwayForFour)

    async def meet_outage_at_others(self) -> Tally:
        """Let a worker fetch until the platform is away from the first of `four_others` on."""
        return await self._next_worker(kind=AwayFromPaid)

    async def pause(self, *posts: str) -> Tally:
        """Let a worker fetch while the route of these posts pauses."""
        return await self._next_worker(pauses=posts)

    async def fail_to_list(self, report: ScrapeReport) -> Tally:
        """Let a worker fetch while lists of posts get no answer."""
        return await self._next_worker(list_report=report)

    async def pause_listing(self) -> Tally:
        """Let a worker fetch while the third page of a list pauses at first."""
        return await self._next_worker(kind=PausedListing)

    async def _next_worker(self, **behaviour: Any) -> Tally:
        with self.store.write_session() as session:
            plan_changes(session)
        return await self._worker(float("inf"), **behaviour)

    async def stop_while_it_claims(self, signals: int) -> None:
        """Stop a worker before its thread has committed its leases."""
        claims, goes_on, loop = asyncio.Event(), Event(), asyncio.get_running_loop()

        def claim(*asked: Any) -> list[ClaimedFetch]:
            loop.call_soon_threadsafe(claims.set)
            goes_on.wait(60)
            return claim_due(*asked)

        task = asyncio.create_task(self._worker(float("inf"), claim))
        await claims.wait()
        for _ in range(signals):
            task.cancel()
            await asyncio.wait([task], timeout=0.1)
        goes_on.set()
        with suppress(asyncio.CancelledError):
            await task

    async def _worker(
        self,
        lives_for: float,
        claim: Claim = claim_due,
        kind: type[Platform] | None = None,
        **behaviour: Any,
    ) -> Tally:
        provider = (kind or Platform)(self.fetches, lives_for, **behaviour)
        landing = FolderLanding(self._home / "landing")
        register = partial(register_one, self.store, landing) if self.registers else None
        buffer = Buffer(LandingWriter(landing), lambda _fetch: None, register)
        fetcher = Fetcher(provider, fixed_clock(self.now))
        with suppress(KilledError):
            await fetch_claimed(self.store, "tiktok", fetcher, buffer, claim, concurrency=2)
        return buffer.tally

    def let_leases_end(self) -> None:
        with self._opened.write_session() as session:
            session.execute(text("update visits set lease_expires_at = now() - interval '1 day'"))

    def leases(self) -> list[datetime]:
        with self._opened.read_session() as session:
            ends = "select distinct lease_expires_at from visits where lease_expires_at is not null"
            return sorted(session.scalars(text(ends)))

    def leased(self) -> int:
        with self._opened.read_session() as session:
            return session.scalars(text("select count(lease_expires_at) from visits")).one()

    def next_due(self) -> datetime:
        with self._opened.read_session() as session:
            return session.scalars(text("select min(due_at) from visits")).one()

    def failing(self) -> int:
        with self._opened.read_session() as session:
            return session.scalars(text("select count(failing_since) from visits")).one()

    def unread_for(self) -> timedelta:
        """The time since the longest unfetched post was last fetched."""
        with self._opened.read_session() as session:
            return self.now - session.scalars(text("select min(looked_at) from post_looks")).one()


@pytest.fixture
def work(store: OperationalStore, organization: NewOrganization, tmp_path: Path) -> Work:
    for number in range(ACCOUNTS):
        account = add_account(store, organization, f"demo{number}", platform_user_id=f"{number}")
        for post in range(POSTS):
            posted_at = NOON - timedelta(days=1 + 9 * post)
            name = f"1{number}{post}"
            add_video(store, organization, name, account=account, posted_at=posted_at)
    return Work(store, tmp_path)


@pytest.fixture
def four_others(
    work: Work, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """Add four accounts without posts; return their handles. Routes pause for 0 s."""
    monkeypatch.setattr(claimed_fetches, "SECONDS_OPEN", 0)
    handles = [f"paid{number}" for number in range(4)]
    for number, handle in enumerate(handles):
        add_account(work.store, organization, handle, platform_user_id=f"9{number}")
    return handles


PAYING = """
    update visits set pays_at = timestamptz '2026-01-01' where subject like '9%'
"""


class TestRounds:
    async def test_any_number_of_workers_fetches_due_subjects_once(self, work: Work) -> None:
        await work.round([float("inf")] * 3)
        assert len(work.fetches) == ACCOUNTS * (POSTS + 1)
        assert set(work.fetches.values()) == {1}
        await work.round()
        assert set(work.fetches.values()) == {1}

    @pytest.mark.slow
    async def test_workers_killed_at_random_over_a_week_lose_no_fetch_and_repeat_few(
        self, work: Work
    ) -> None:
        draw = Random(1)
        under_way = 0
        for _ in range(ROUNDS_OF_KILLS):
            before = Counter(work.fetches)
            await work.round([draw.randrange(12) for _ in range(3)])
            work.let_leases_end()
            await work.round()
            repeats = [count - before[name] for name, count in work.fetches.items()]
            under_way = max(under_way, sum(count - 1 for count in repeats if count > 1))
            assert work.unread_for() < timedelta(hours=24)
            work.now += timedelta(hours=4)
        assert under_way <= 3 * 12  # requests of three killed workers
        assert len(work.fetches) == ACCOUNTS * (POSTS + 1)

    async def test_each_landed_batch_restarts_the_leases_of_its_slice(
        self, work: Work, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Otherwise a slice that takes longer than a lease is fetched twice."""
        monkeypatch.setattr(crawl, "FETCHES_PER_BATCH", 4)
        ends: list[datetime] = []
        land = Buffer.land

        async def landed(buffer: Buffer) -> None:
            await land(buffer)
            ends.extend(work.leases())

        monkeypatch.setattr(Buffer, "land", landed)
        await work.round()
        assert len(set(ends)) > ACCOUNTS * POSTS // 4
        assert ends == sorted(ends)
        assert work.leases() == []

    async def test_during_an_outage_everything_is_released_for_the_next_try(
        self, work: Work
    ) -> None:
        """Otherwise the second try has nothing to fetch, and ends green."""
        with work.store.write_session() as session:
            plan_changes(session)
        for _ in range(2):
            tally = await work.meet_nobody()
            assert tally.outcomes == {"unreachable": ACCOUNTS * (POSTS + 1)}
        assert (await work.round()).outcomes["ok"] >= ACCOUNTS * (POSTS + 1)

    async def test_accounts_that_failed_before_do_not_count_as_an_outage(self, work: Work) -> None:
        """Otherwise they are due again at once and claimed alone: no other account is fetched."""
        with work.store.write_session() as session:
            plan_changes(session)
            session.execute(text("update visits set failing_since = now() - interval '1 hour'"))
        assert set((await work.meet_nobody()).outcomes) == {"unreachable"}
        assert (await work.meet_nobody()).outcomes == {}

    @pytest.mark.parametrize("pays", [True, False], ids=["all that pays", "in a slice"])
    async def test_other_accounts_decide_whether_the_platform_is_away(
        self, work: Work, four_others: list[str], pays: bool
    ) -> None:
        """Otherwise they are given back at each tick, and no other account is ever fetched."""
        with work.store.write_session() as session:
            plan_changes(session)
            session.execute(text(PAYING if pays else "select 1"))
        fetch = work.trip_over if pays else work.meet_behind
        tally = await fetch(*four_others)
        assert tally.outcomes["ok"] == ACCOUNTS * (POSTS + 2)
        assert {work.fetches[name] for name in four_others} == {2}
        assert work.failing() == len(four_others)
        assert work.leases() == []

    async def test_an_outage_that_begins_between_two_slices_fails_no_account(
        self, work: Work, four_others: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Otherwise they are due again minutes later, when their period may have ended."""
        monkeypatch.setattr(claimed_fetches, "CLAIMED_AT_A_TIME", ACCOUNTS)
        with work.store.write_session() as session:
            plan_changes(session)
            session.execute(text("update visits set due_at = '2026-01-01' where subject like '9%'"))
        tally = await work.meet_outage_at_others()
        assert tally.outcomes == {"ok": ACCOUNTS * (POSTS + 2), "unreachable": len(four_others)}
        assert (work.failing(), work.leases()) == (0, [])

    async def test_an_outage_that_ends_before_others_are_requested_fails_no_account(
        self, work: Work, four_others: list[str]
    ) -> None:
        """Otherwise they are due again after five minutes, when their period has ended."""
        with work.store.write_session() as session:
            plan_changes(session)
            session.execute(text(PAYING))
        tally = await work.meet_short_outage()
        assert tally.outcomes == {"unreachable": 4, "ok": 2 * 4 + ACCOUNTS * (POSTS + 2)}
        assert {work.fetches[name] for name in four_others} == {2}
        assert (work.failing(), work.leases()) == (0, [])

    async def test_a_worker_that_is_stopped_before_it_requests_others_gives_all_back(
        self, work: Work, four_others: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(claimed_fetches, "SECONDS_OPEN", 3600)
        with work.store.write_session() as session:
            plan_changes(session)
            session.execute(text(PAYING))
        task = asyncio.create_task(work.meet_short_outage())
        for _ in range(3000):
            if work.fetches.total() == len(four_others) and work.leased() == MOST_OTHERS:
                break
            await asyncio.sleep(0.01)
        assert work.leased() == MOST_OTHERS
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert work.leases() == []

    async def test_during_an_outage_few_others_are_requested_and_all_stay_due(
        self, work: Work, settings: Settings, four_others: list[str]
    ) -> None:
        with work.store.write_session() as session:
            plan_changes(session)
            session.execute(text(PAYING))

        @asynccontextmanager
        async def open_platform(*_: object) -> AsyncIterator[Platform]:
            yield Platform(work.fetches, is_away=True)

        await fetch_platform(settings, work.store, "tiktok", open_platform, silent, Scope.DUE)
        assert work.fetches.total() == len(four_others) + MOST_OTHERS * (POSTS + 1)
        assert (work.failing(), work.leases()) == (0, [])
        assert (await work.round()).outcomes == {"ok": 2 * 4 + ACCOUNTS * (POSTS + 2)}

    async def test_an_account_that_alone_gets_no_answer_is_not_fetched_at_each_tick(
        self, work: Work
    ) -> None:
        """It must not count as a platform that is away until another account is due."""
        with work.store.write_session() as session:
            plan_changes(session)
            session.execute(text("update visits set due_at = '2100-01-01' where subject <> '0'"))
        for _ in range(3):
            await work.meet_nobody()
            assert work.fetches.total() == POSTS + 1
            work.now += timedelta(minutes=1)
        work.now += timedelta(minutes=5)
        assert (await work.round()).outcomes["ok"] >= POSTS + 1

    async def test_a_post_without_an_account_is_not_fetched_at_each_tick_either(
        self, work: Work, organization: NewOrganization
    ) -> None:
        add_video(work.store, organization, "900", posted_at=NOON - timedelta(days=1))
        with work.store.write_session() as session:
            plan_changes(session)
            session.execute(text("update visits set due_at = '2100-01-01' where subject <> '#900'"))
        for _ in range(3):
            await work.meet_nobody()
            assert work.fetches == {"900": 1}
            work.now += timedelta(minutes=1)

    async def test_fetches_put_off_by_a_paused_route_are_due_again_within_minutes(
        self, work: Work
    ) -> None:
        """Otherwise a pause of one minute costs a day's last reading of everything due then."""
        await work.round()
        work.now += timedelta(hours=26)
        tally = await work.back_off()
        assert tally.outcomes == {"challenged": ACCOUNTS * (POSTS + 1)}
        work.now += timedelta(minutes=5)
        assert (await work.round()).outcomes["ok"] >= ACCOUNTS * (POSTS + 1)

    @pytest.mark.parametrize("has_account", [True, False], ids=["of an account", "alone"])
    @pytest.mark.parametrize("fetch", [Work.pause, Work.trip_over])
    async def test_a_paying_post_without_an_answer_is_retried_in_minutes_but_only_for_some(
        self,
        store: OperationalStore,
        organization: NewOrganization,
        tmp_path: Path,
        fetch: Callable[[Work, str], Awaitable[Tally]],
        has_account: bool,
    ) -> None:
        """Its account's list answers. Otherwise the period ends unread, or retries never end."""
        add_paying_post(store, organization, has_account=has_account)
        work, waits = Work(store, tmp_path), list[float]()
        work.registers = True
        while len(waits) < 5:
            await fetch(work, "1")
            assert work.fetches["1"] == len(waits) + 1
            waits.append((work.next_due() - work.now) / timedelta(minutes=1))
            work.now = work.next_due()
        assert waits[:3] == [5, 5, 10]
        assert min(waits[3:]) >= 60
        await work.round()
        assert work.fetches["1"] == 6
        assert work.failing() == 0

    @pytest.mark.parametrize("report", [PUT_OFF, NO_ANSWER], ids=["put off", "unreachable"])
    async def test_an_account_whose_list_has_no_answer_is_retried_in_minutes_but_only_for_some(
        self,
        store: OperationalStore,
        organization: NewOrganization,
        tmp_path: Path,
        report: ScrapeReport,
    ) -> None:
        """Its profile answers. Otherwise it is listed hours later, or retries never end."""
        add_account(store, organization, "new", platform_user_id="9")
        work, waits = Work(store, tmp_path), list[float]()
        work.registers = True
        while len(waits) < 5:
            await work.fail_to_list(report)
            assert work.fetches == {"new": len(waits) + 1}
            waits.append((work.next_due() - work.now) / timedelta(minutes=1))
            work.now = work.next_due()
        assert waits[:3] == [5, 5, 10]
        assert waits[3] >= 60
        await work.round()
        assert work.next_due() - work.now >= timedelta(hours=1)
        assert work.failing() == 0

    async def test_an_account_without_an_answer_does_not_wait_for_hours_if_a_post_answers(
        self, store: OperationalStore, organization: NewOrganization, tmp_path: Path
    ) -> None:
        account = add_account(store, organization, "new", platform_user_id="9")
        add_video(store, organization, "1", account=account, posted_at=NOON)
        work = Work(store, tmp_path)
        await work.trip_over("new")
        assert work.fetches == {"new": 1, "1": 1}
        assert work.next_due() - work.now == timedelta(minutes=5)

    async def test_a_list_without_an_answer_is_not_retried_if_only_posts_are_due(
        self, store: OperationalStore, organization: NewOrganization, tmp_path: Path
    ) -> None:
        """They are read one by one."""
        add_paying_post(store, organization)
        work = Work(store, tmp_path)
        work.registers = True
        await work.fail_to_list(PUT_OFF)
        assert work.fetches == {"1": 1}
        assert work.failing() == 0

    async def test_a_listing_put_off_at_a_later_page_continues_there_in_minutes(
        self, store: OperationalStore, organization: NewOrganization, tmp_path: Path
    ) -> None:
        add_account(store, organization, "new", platform_user_id="9")
        work = Work(store, tmp_path)
        work.registers, work.fetches = True, Counter({"1": 1})
        await work.pause_listing()
        assert work.next_due() - work.now == timedelta(minutes=5)
        work.now = work.next_due()
        await work.pause_listing()
        assert [work.fetches[f"page{number}"] for number in range(1, 6)] == [1, 1, 2, 1, 1]
        assert work.failing() == 0

    async def test_a_worker_that_slept_past_its_leases_requests_nothing_more(
        self, work: Work
    ) -> None:
        """Another worker may be reading the same."""
        with work.store.write_session() as session:
            plan_changes(session)
        fetches = Counter[str]()
        fetcher = Fetcher(Platform(fetches), fixed_clock(work.now))
        claimed = claim_due(work.store, "tiktok", 1)
        later = timedelta()
        slept = Slice(work.store, "tiktok", fetcher, claimed, lambda: system_clock() + later)
        [account_fetch] = slept.account_fetches()
        later = FETCH_LEASE
        read = [fetch async for fetch in account_fetch()]
        assert len(read) == fetches.total() == 1
        slept.settle()
        assert claimed[0].subject in {each.subject for each in claim_due(work.store, "tiktok", 50)}

    @pytest.mark.parametrize("has_begun", [True, False])
    async def test_a_worker_requests_nothing_more_of_what_a_renewal_shows_as_lost(
        self, work: Work, has_begun: bool
    ) -> None:
        """By its own clock the leases last: it may have stopped with the machine."""
        with work.store.write_session() as session:
            plan_changes(session)
        fetches = Counter[str]()
        fetcher = Fetcher(Platform(fetches), fixed_clock(work.now))
        some = Slice(work.store, "tiktok", fetcher, claim_due(work.store, "tiktok", 1))
        account_fetches = some.account_fetches()
        if has_begun:
            account_fetch = next(account_fetches)
        work.let_leases_end()
        assert len(claim_due(work.store, "tiktok", 1)) == 1
        some.renew()
        left = [account_fetch] if has_begun else account_fetches
        assert len([fetch for each in left async for fetch in each()]) == has_begun
        assert fetches.total() == has_begun

    async def test_a_worker_whose_clock_is_wrong_renews_no_consent(
        self, work: Work, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An outage during a renewal would end the consent, and an answer would set a wrong end."""
        settled = list[object]()
        monkeypatch.setattr(worker, "settle_connections", lambda *given: settled.append(given))
        monkeypatch.setattr(clock, "datetime", clock_ahead(timedelta(days=30)))
        with pytest.raises(clock.WrongClockError, match="ahead"):
            await fetch_platform(
                settings, work.store, "tiktok", open_provider, silent, Scope.NOTHING
            )
        assert settled == []

    @pytest.mark.parametrize("how", ["stood still", "is right again", "without PostgreSQL"])
    async def test_a_worker_whose_clock_falls_behind_lands_nothing_since(
        self, work: Work, settings: Settings, monkeypatch: pytest.MonkeyPatch, how: str
    ) -> None:
        """For example on a suspended machine: its readings would be paid on an earlier day."""
        if how == "stood still":
            monkeypatch.setattr(clock, "booted_at", fixed_clock(NOON))

        def lose_postgresql(*_: object) -> None:
            raise OperationalError("select", {}, Exception("connection refused"))

        class StoodStill(Platform):
            async def _asked(self, subject: str) -> None:
                await super()._asked(subject)
                if self.fetches.total() == POSTS:
                    monkeypatch.setattr(clock, "datetime", clock_ahead(-timedelta(hours=1)))
                    if how == "without PostgreSQL":
                        monkeypatch.setattr(worker, "refuse_wrong_clock", lose_postgresql)
                if self.fetches.total() == 2 * POSTS and how == "is right again":
                    monkeypatch.setattr(clock, "datetime", datetime)

        @asynccontextmanager
        async def open_platform(*_: object) -> AsyncIterator[Platform]:
            yield StoodStill(Counter())

        at_noon = settings.at(NOON)
        message = "behind" if how == "stood still" else "was set"
        with pytest.raises(clock.WrongClockError, match=message):
            await fetch_platform(at_noon, work.store, "tiktok", open_platform, silent, Scope.DUE)
        assert open_landing(at_noon).incoming() == []
        with work.store.read_session() as session:
            assert session.scalars(text("select count(*) from registered_batches")).one() == 0
        assert work.leases() == []

    async def test_an_account_whose_user_id_becomes_known_after_the_claim_stays_due(
        self, store: OperationalStore, organization: NewOrganization
    ) -> None:
        """It must not count as fetched without a request."""
        account = add_account(store, organization, "demo")
        with store.write_session() as session:
            plan_changes(session)
        provider = Platform(Counter())
        claimed = claim_due(store, "tiktok", 1)
        some = Slice(store, "tiktok", Fetcher(provider, store.clock), claimed)
        change(store, Account, account, platform_user_id="7")
        with store.write_session() as session:
            plan_changes(session)
        assert [fetch for each in some.account_fetches() async for fetch in each()] == []
        some.settle()
        assert [each.subject for each in claim_due(store, "tiktok", 2)] == ["7"]

    @pytest.mark.parametrize("signals", [1, 3])
    async def test_a_worker_that_is_stopped_while_it_claims_leaves_all_to_others(
        self, work: Work, signals: int
    ) -> None:
        with work.store.write_session() as session:
            plan_changes(session)
        await work.stop_while_it_claims(signals)
        assert work.leases() == []

    async def test_an_account_that_a_provider_trips_over_delays_no_other(self, work: Work) -> None:
        """It is due first: no crawl would get past it."""
        tally = await work.trip_over("demo0", "110")
        assert (tally.outcomes["schema_changed"], tally.outcomes["unreachable"]) == (1, 1)
        assert len(work.fetches) == ACCOUNTS * (POSTS + 1)
        await work.trip_over("demo0", "110")
        assert set(work.fetches.values()) == {1}
        work.now += timedelta(hours=26)
        await work.round()
        assert min(work.fetches.values()) == 2


SPEED = 100
"""Seconds of business time per second of real time."""


class TestRunningClock:
    @pytest.mark.slow
    async def test_posts_at_rest_are_read_about_once_a_day_and_not_each_hour(
        self, work: Work, tmp_path: Path
    ) -> None:
        """No two steps share an instant: claim, answer, landing, registration, settling."""
        began, skipped, landing = monotonic(), timedelta(), FolderLanding(tmp_path / "landing")

        def clock() -> datetime:
            return NOON + skipped + timedelta(seconds=SPEED * (monotonic() - began))

        opened = work.store
        store = OperationalStore(opened.engine, opened.snapshots, opened.autocommit, clock)
        provider = Platform(work.fetches, clock=clock)
        for _ in range(24):
            with store.write_session() as session:
                plan_changes(session)
            writer, register = LandingWriter(landing), partial(register_one, store, landing)
            buffer = Buffer(writer, lambda _fetch: None, register)
            await fetch_claimed(store, "tiktok", Fetcher(provider, clock), buffer, concurrency=2)
            assert landing.incoming() == []
            skipped += timedelta(hours=1)
        posts = [count for name, count in work.fetches.items() if name.isdecimal()]
        assert len(posts) == ACCOUNTS * POSTS
        assert max(posts) <= 3
        assert provider.read_before == {False: len(posts), True: sum(posts) - len(posts)}


async def fetch_later(scraping: Settings, scope: Scope, **later: float) -> Tally:
    """Fetch and register with a later business time."""
    at = scraping.at(scraping.clock() + timedelta(**later))
    with operational_store(at) as store:
        register_landed(store, at)
        tally = await fetch_platform(at, store, "tiktok", open_provider, silent, scope)
        register_landed(store, at)
    return tally


class TestWorker:
    @pytest.mark.slow
    async def test_a_worker_reads_the_same_as_a_full_crawl_and_then_waits_for_due_fetches(
        self, scraping: Settings, two_tracked: list[str]
    ) -> None:
        assert two_tracked
        fetch = partial(fetch_later, scraping)
        at_first = await fetch(Scope.DUE)
        assert set(at_first.outcomes) == {"ok"}
        assert at_first.posts
        assert (await fetch(Scope.DUE)).fetches == 0
        everything = await fetch(Scope.EVERYTHING, minutes=1)
        assert everything.read == at_first.read
        assert (await fetch(Scope.DUE, minutes=2)).fetches == 0
        assert (await fetch(Scope.DUE, hours=28)).read.counted >= at_first.read.counted

    @pytest.mark.slow
    async def test_after_fetches_at_a_future_time_everything_is_read_within_28_hours(
        self, scraping: Settings, two_tracked: list[str], store: OperationalStore
    ) -> None:
        assert two_tracked
        fetch = partial(fetch_later, scraping, Scope.DUE)
        ahead = await fetch(days=30)
        assert ahead.read.counted
        assert (await fetch()).fetches == 0  # they count as made now
        assert (await fetch(hours=28)).read.counted >= ahead.read.counted
        with store.read_session() as session:
            latest = session.scalars(text("select max(read_at) from post_looks")).one()
        assert latest - scraping.clock() == timedelta(hours=28)

    @pytest.mark.slow
    async def test_fetches_that_pay_come_before_a_long_queue_and_between_its_jobs(
        self, settings: Settings, store: OperationalStore, organization: NewOrganization
    ) -> None:
        """Otherwise 1,000 new accounts of one organization delay the ends of other periods."""
        for number in (1, 2):
            name = f"{number}"
            account = add_account(store, organization, f"paid{name}", platform_user_id=name)
            add_video(store, organization, name, account=account, posted_at=NOON)
        with store.write_session() as session:
            plan_changes(session)
            session.execute(text("update visits set due_at = '9000-01-01'"))
            for number, minutes in ((1, 0), (2, 30)):
                values = {"subject": str(number), "at": NOON + timedelta(minutes=minutes)}
                session.execute(
                    text(
                        "update post_looks set due_at = :at, reason = 'period_end'"
                        " where subject = :subject"
                    ),
                    values,
                )
                session.execute(
                    text(
                        "update visits set account_due_at = '9000-01-01', due_at = :at,"
                        " pays_at = :at"
                        " where subject = :subject"
                    ),
                    values,
                )
        crowd = create_crowd(store, 120)
        order = await fetched_in_order(settings, store)
        assert crowd <= {*order}
        assert order.index("1") == 0
        assert 30 <= order.index("2") <= 30 + JOBS_AT_A_TIME

    @pytest.mark.slow
    async def test_fetches_that_pay_wait_for_minutes_of_others_that_take_long(
        self, settings: Settings, store: OperationalStore, organization: NewOrganization
    ) -> None:
        """Otherwise 50 accounts with a slow first listing delay the ends of periods."""
        account = add_account(store, organization, "paid", platform_user_id="paid")
        add_video(store, organization, "1", account=account, posted_at=NOON)
        for number in range(60):
            add_account(store, organization, f"new{number}", platform_user_id=f"9{number}")
        with store.write_session() as session:
            plan_changes(session)
            values = {"at": NOON + timedelta(minutes=10)}
            at_its_end = "update post_looks set due_at = :at, reason = 'period_end'"
            session.execute(text(at_its_end), values)
            session.execute(
                text(
                    "update visits set account_due_at = '9000-01-01', due_at = :at,"
                    " pays_at = :at"
                    " where subject = 'paid'"
                ),
                values,
            )
        slow = settings.model_copy(update={"scrape_concurrency": 2})
        order = await fetched_in_order(slow, store)
        assert len(order) > 60
        assert 10 <= order.index("1") <= 17

    async def test_fetches_that_pay_wait_for_minutes_of_a_long_refresh(
        self, settings: Settings, store: OperationalStore, organization: NewOrganization
    ) -> None:
        account = add_account(store, organization, "paid", platform_user_id="paid")
        add_video(store, organization, "1", account=account, posted_at=NOON)
        other = add_organization(store, "Other")
        big = add_account(store, other, "big", platform_user_id="99")
        for number in range(40):
            add_video(store, other, f"9{number:02}", account=big, posted_at=NOON)
        with store.write_session() as session:
            plan_changes(session)
            enqueue(session, job_type="video_stats", account=session.get_one(Account, big))
            for due in (
                "update post_looks set due_at = '9000-01-01'",
                "update visits set due_at = '9000-01-01', account_due_at = '9000-01-01'",
                "update post_looks set due_at = :at, reason = 'period_end' where subject = 'paid'",
                "update visits set due_at = :at, pays_at = :at where subject = 'paid'",
            ):
                at = {"at": NOON + timedelta(minutes=10)} if ":at" in due else {}
                session.execute(text(due), at)
        slow = settings.model_copy(update={"scrape_concurrency": 2})
        order = await fetched_in_order(slow, store)
        assert len(order) > 40
        assert 10 <= order.index("1") <= 17

    @pytest.mark.parametrize("is_queued", [False, True], ids=["scheduled", "queued"])
    async def test_fetches_that_pay_do_not_wait_for_a_long_listing(
        self, settings: Settings, store: OperationalStore, new_account: NewAccount, is_queued: bool
    ) -> None:
        """Otherwise the last reading comes after the period, and its views are paid in the next."""
        new_account(is_queued)
        order = await fetched_in_order(settings, store, LongListing)
        assert 3 <= order.index("1") < order.index("page5")

    async def test_a_worker_stays_until_a_paying_fetch_that_a_pause_put_off_is_made(
        self,
        settings: Settings,
        store: OperationalStore,
        organization: NewOrganization,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """It is due again after five minutes, but workers start every ten: after the period."""
        monkeypatch.setattr(worker, "PAYING_EVERY", 0.5)
        add_paying_post(store, organization)
        began, fetches = monotonic(), Counter[str]()

        def clock() -> datetime:
            return NOON + timedelta(minutes=2 * (monotonic() - began))

        @asynccontextmanager
        async def open_platform(*_: object) -> AsyncIterator[Platform]:
            yield PausedAtFirst(fetches, clock=clock)

        moving = OperationalStore(store.engine, store.snapshots, store.autocommit, clock)
        reports = list[Progress]()
        await fetch_platform(settings, moving, "tiktok", open_platform, reports.append, Scope.DUE)
        assert fetches == {"list": 2, "paid": 1, "1": 2}
        assert "TikTok: waiting for paying fetches until 1" in str(reports)

    async def test_a_worker_stays_for_paying_fetches_that_a_short_outage_left_unread(
        self, work: Work, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """They are due again at once, but the next worker starts after the period."""
        monkeypatch.setattr(worker, "PAYING_EVERY", 0.5)
        with work.store.write_session() as session:
            plan_changes(session)
            session.execute(text("update visits set pays_at = :at"), {"at": NOON})
        reports = list[Progress]()

        @asynccontextmanager
        async def open_platform(*_: object) -> AsyncIterator[Platform]:
            yield AwayAtFirst(work.fetches)

        await fetch_platform(
            settings, work.store, "tiktok", open_platform, reports.append, Scope.DUE
        )
        assert set(work.fetches.values()) == {3}
        assert "TikTok: waiting for paying fetches until 1" in str(reports)

    async def test_a_stopped_worker_releases_a_listing_and_the_paying_fetch_beside_it(
        self, settings: Settings, store: OperationalStore, new_account: NewAccount
    ) -> None:
        both_begun, states = asyncio.Event(), list[tuple[str, int]]()

        class Stuck(LongListing):
            async def post(self, target: PostTarget) -> ScrapeReport:
                await self._asked(target.platform_video_id)
                states.extend(fetch_states(store))
                both_begun.set()
                await asyncio.Event().wait()
                return await super().post(target)

        new_account(is_queued=True)
        work = asyncio.create_task(fetched_in_order(settings, store, Stuck))
        await asyncio.wait_for(both_begun.wait(), 60)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        assert states == [("running", 1)]
        assert fetch_states(store) == [("queued", 0)]

    @pytest.mark.parametrize(("user_id", "has_failed"), [("9", False), ("9", True), (None, False)])
    async def test_an_account_stays_due_if_a_worker_is_stopped_between_profile_and_list(
        self,
        settings: Settings,
        store: OperationalStore,
        organization: NewOrganization,
        user_id: str | None,
        has_failed: bool,
    ) -> None:
        """Otherwise it counts as fetched, and its list is read hours later."""
        add_account(store, organization, "new", platform_user_id=user_id)
        if has_failed:
            failed = "update visits set looked_at = :at, failing_since = :at, account_due_at = :at"
            with store.write_session() as session:
                plan_changes(session)
                session.execute(text(failed), {"at": NOON - timedelta(minutes=6)})
        has_begun = asyncio.Event()

        class Stuck(LongListing):
            async def profile(self, target: AccountTarget) -> ScrapeReport:
                known = replace(target, platform_user_id="9")
                return await super().profile(known)

            async def discover(self, *_: object, **__: object) -> ScrapeReport:
                has_begun.set()
                await asyncio.Event().wait()
                return NO_ANSWER

        work = asyncio.create_task(fetched_in_order(settings, store, Stuck))
        await asyncio.wait_for(has_begun.wait(), 60)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        assert "page5" in await fetched_in_order(settings, store, LongListing)

    async def test_a_new_account_that_jobs_list_is_not_listed_again_at_once(
        self, settings: Settings, store: OperationalStore, organization: NewOrganization
    ) -> None:
        """Its user id becomes known with the first page, and another worker plans meanwhile."""
        account = add_account(store, organization, "new", platform_user_id=None)
        with store.write_session() as session:
            for job_type in ("creator_profiles", "discover_videos"):
                enqueue(session, job_type=job_type, account=session.get_one(Account, account))

        lists = []

        class Planned(LongListing):
            async def profile(self, target: AccountTarget) -> ScrapeReport:
                return await super().profile(replace(target, platform_user_id="9"))

            async def discover(
                self, target: AccountTarget, *, since: datetime, known: Collection[str]
            ) -> ScrapeReport:
                lists.append(target.behind)
                if target.behind:
                    self.fetches["1"] += 1  # page 4 waits for it
                    with store.write_session() as session:
                        plan_changes(session)
                report = await super().discover(target, since=since, known=known)
                return replace(report, reached_known=report.goes_on is None)

        await fetched_in_order(settings, store, Planned)
        assert len(lists) == 5

    @pytest.mark.slow
    async def test_decisions_during_a_busy_worker_are_planned_before_its_next_claim(
        self,
        settings: Settings,
        store: OperationalStore,
        organization: NewOrganization,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Otherwise a worker that always finds due fetches never sees a new account or deadline."""
        monkeypatch.setattr(claimed_fetches, "CLAIMED_AT_A_TIME", 1)
        for number in range(3):
            add_account(store, organization, f"demo{number}", platform_user_id=f"{number}")
        fetches = Counter[str]()

        class Busy(Platform):
            async def profile(self, target: AccountTarget) -> ScrapeReport:
                if not self.fetches:
                    add_account(store, organization, "later", platform_user_id="later")
                return await super().profile(target)

        @asynccontextmanager
        async def open_platform(*_: object) -> AsyncIterator[Platform]:
            yield Busy(fetches)

        at_noon = settings.at(NOON)
        opened = OperationalStore(
            store.engine, store.snapshots, store.autocommit, fixed_clock(NOON)
        )
        await fetch_platform(at_noon, opened, "tiktok", open_platform, silent, Scope.DUE)
        assert fetches == Counter(["demo0", "demo1", "demo2", "later"])


def add_paying_post(
    store: OperationalStore, organization: NewOrganization, *, has_account: bool = True
) -> None:
    """Add post 1, read at 10:00, whose period ends at 12:11."""
    account = add_account(store, organization, "paid", platform_user_id="7")
    add_video(store, organization, "1", account=account, posted_at=NOON - timedelta(days=30))
    with store.write_session() as session:
        if not has_account:
            creator = "(select creator_id from accounts)"
            session.execute(text(f"update videos set creator_id = {creator}, account_id = null"))
            session.execute(text("update accounts set is_active = false"))
        plan_changes(session)
        read_at = {"at": NOON - timedelta(hours=2)}
        read = "looked_at = :at, read_at = :at, views = 2000, views_a_day = 20"
        session.execute(text(f"update post_looks set {read}"), read_at)
        session.execute(text("update visits set looked_at = :at"), read_at)
        session.execute(
            text(
                "insert into look_deadlines (creator_id, ends_at, organization_id)"
                " select creator_id, :at, organization_id from accounts"
            ),
            {"at": NOON + timedelta(minutes=11)},
        )
        subjects = session.scalars(text("select subject from visits")).all()
        plan_subjects(session, "tiktok", subjects)


class PausedAtFirst(Platform):
    """Requests nothing until post 1 was put off."""

    async def _asked(self, subject: str) -> None:
        self.backs_off = not self.fetches["1"]
        await super()._asked(subject)

    async def discover(
        self, target: AccountTarget, *, since: datetime, known: Collection[str]
    ) -> ScrapeReport:
        await self._asked("list")
        if self.backs_off:
            return ScrapeReport(outcome=Outcome.CHALLENGED, source="own", was_sent=False)
        return await super().discover(target, since=since, known=known)


class AwayAtFirst(Platform):
    """Answers at the third request."""

    async def _asked(self, subject: str) -> None:
        self.is_away = self.fetches[subject] < 2
        await super()._asked(subject)


class AwayForFour(Platform):
    """Answers from the fifth request on."""

    async def _asked(self, subject: str) -> None:
        self.is_away = self.fetches.total() < 4
        await super()._asked(subject)


class AwayFromPaid(Platform):
    """Answers until it is asked for an account whose name begins with "paid"."""

    async def profile(self, target: AccountTarget) -> ScrapeReport:
        self.is_away |= target.handle.startswith("paid")
        return await super().profile(target)


class PausedBehind(Platform):
    """Pauses at the first fetch of each account and post that it does not trip over."""

    async def profile(self, target: AccountTarget) -> ScrapeReport:
        report = await super().profile(target)
        return self._unless_first(target.handle, report)

    async def post(self, target: PostTarget) -> ScrapeReport:
        report = await super().post(target)
        return self._unless_first(target.platform_video_id, report)

    def _unless_first(self, subject: str, report: ScrapeReport) -> ScrapeReport:
        return replace(NO_ANSWER, was_sent=False) if self.fetches[subject] == 1 else report


class LongListing(Platform):
    """Lists a new account's posts on five pages; the fourth takes until post 1 is fetched."""

    async def discover(
        self, target: AccountTarget, *, since: datetime, known: Collection[str]
    ) -> ScrapeReport:
        if target.handle != "new":
            return await super().discover(target, since=since, known=known)
        page = int(target.behind.cursor) if target.behind else 1
        await self._asked(f"page{page}")
        for _ in range(500 if page == 4 else 0):
            if "1" in self.fetches:
                break
            await asyncio.sleep(0.01)
        video = replace(COUNTED, platform_video_id=f"9{page}", platform_user_id="9", handle="new")
        goes_on = PageCursor("own", f"{page + 1}") if page < 5 else None
        return ScrapeReport(outcome=Outcome.OK, source="own", videos=(video,), goes_on=goes_on)


class PausedListing(LongListing):
    """Requests the third page of the list only at the second attempt."""

    async def discover(
        self, target: AccountTarget, *, since: datetime, known: Collection[str]
    ) -> ScrapeReport:
        report = await super().discover(target, since=since, known=known)
        is_third = target.behind is not None and target.behind.cursor == "3"
        return PUT_OFF if is_third and self.fetches["page3"] == 1 else report


@pytest.fixture
def new_account(
    store: OperationalStore, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> NewAccount:
    """Adds an account to list, due or queued, and post 1, whose paying fetch is due at 12:03."""
    monkeypatch.setattr(worker, "PAYING_EVERY", 0.01)

    def add(is_queued: bool) -> None:
        paid = add_account(store, organization, "paid", platform_user_id="paid")
        add_video(store, organization, "1", account=paid, posted_at=NOON)
        account = add_account(store, organization, "new", platform_user_id="9")
        with store.write_session() as session:
            plan_changes(session)
            if is_queued:
                added = session.get_one(Account, account)
                enqueue(session, job_type="discover_videos", account=added)
                session.execute(text("update visits set due_at = '9000-01-01'"))
            at, of_paid = {"at": NOON + timedelta(minutes=3)}, "where subject = 'paid'"
            due = "update visits set account_due_at = '9000-01-01', due_at = :at, pays_at = :at"
            for statement in (due, "update post_looks set due_at = :at, reason = 'period_end'"):
                session.execute(text(f"{statement} {of_paid}"), at)

    return add


def fetch_states(store: OperationalStore) -> list[tuple[str, int]]:
    leased = "select count(*) from visits where lease_expires_at is not null"
    with store.read_session() as session:
        rows = session.execute(text(f"select status, ({leased}) from scrape_jobs"))
        return [(status, count) for status, count in rows]


async def fetched_in_order(
    settings: Settings, store: OperationalStore, platform: type[Platform] = Platform
) -> list[str]:
    fetches = Counter[str]()

    def clock() -> datetime:
        """Advance the time by a minute with each fetch."""
        return NOON + timedelta(minutes=fetches.total())

    @asynccontextmanager
    async def open_platform(*_: object) -> AsyncIterator[Platform]:
        yield platform(fetches)

    moving = OperationalStore(store.engine, store.snapshots, store.autocommit, clock)
    await fetch_platform(settings.at(NOON), moving, "tiktok", open_platform, silent, Scope.DUE)
    return list(fetches)


def create_crowd(store: OperationalStore, size: int) -> set[str]:
    """Queue a job for each new account of another organization; return the handles."""
    other = add_organization(store, "Crowd")
    handles = [f"crowd{number}" for number in range(size)]
    for number, handle in enumerate(handles):
        account = add_account(store, other, handle, platform_user_id=f"9{number}")
        with store.write_session() as session:
            account_row = session.get_one(Account, account)
            enqueue(session, job_type="creator_profiles", account=account_row)
    return set(handles)
