"""Which workers claim which account fetches, and what happens to unfinished ones."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from itertools import count
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from orchestration.scraping.crawl import EXTENDS_EVERY
from tests.factories.landing import NOON, fetch, post, profile
from tests.factories.machine_clock import clock_ahead
from tests.factories.tracking import Customer, add_organization, add_video
from tests.fixtures.locks import wait_until_waiting
from tests.fixtures.statements import statements_sent
from tests.warehouse.fetch_schedule.conftest import MINUTE, Plan
from warehouse.fetch_schedule.ahead import correct_ahead
from warehouse.fetch_schedule.claims import (
    BEFORE_END,
    MOST_OTHERS,
    claim_fetches,
    claim_others,
    next_retry,
    release,
    renew,
)
from warehouse.fetch_schedule.due_posts import due_posts
from warehouse.fetch_schedule.plan import lock_plan, run
from warehouse.fetch_schedule.statements import ALL
from warehouse.operational import clock
from warehouse.operational.engines import LONGEST_IDLE
from warehouse.operational.leases import FETCH_LEASE
from warehouse.operational.models import Account
from warehouse.operational.session import WriteSession, driver_of
from warehouse.operational.store import OperationalStore
from warehouse.scrape_jobs import queue
from warehouse.scrape_jobs.queue import enqueue_all
from warehouse.scrape_jobs.video_targets import scheduled_videos

DAY = timedelta(days=1)
MANY_ACCOUNT_FETCHES = """
    insert into visits (platform, subject, looked_at, due_at, pays_at, reason)
    select 'tiktok', number::text, to_timestamp(0), to_timestamp(number), null, 'posts'
    from generate_series(1, 2000) as numbers (number);
    analyze visits
"""

MANY_ENDED_JOBS = """
    insert into scrape_jobs
        (id, organization_id, project_id, account_id, job_type, status, created_at, updated_at)
    select gen_random_uuid(), organization_id, project_id, id, 'video_stats', 'succeeded', now(),
        now()
    from accounts cross join generate_series(1, 20000)
    where id = :account
"""


@pytest.fixture
def accounts(customer: Customer, plan: Plan) -> list[UUID]:
    """Six accounts without a fetch."""
    made = [customer.account(f"demo{number}") for number in range(6)]
    plan.everything()
    return made


def plan_of(store: OperationalStore, statement: str) -> str:
    """Return PostgreSQL's generic plan of a statement, for all parameters."""
    numbers = count(1)
    generic = re.sub(r"%\(\w+\)s", lambda _: f"${next(numbers)}", statement)
    with store.read_session() as session:
        rows = driver_of(session).execute(f"explain (generic_plan) {generic}".encode())
        return "\n".join(row[0] for row in rows)


def subjects(plan: Plan, limit: int) -> set[str]:
    return {account_fetch.subject for account_fetch in plan.claim(limit)}


def lose_the_answer(patch: pytest.MonkeyPatch) -> None:
    """Commit in PostgreSQL, then break the connection before the response."""
    commit = WriteSession.commit

    def committed(session: WriteSession) -> None:
        commit(session)
        raise OperationalError("commit", None, psycopg.OperationalError("the connection is lost"))

    patch.setattr(WriteSession, "commit", committed)


class TestClaims:
    def test_concurrent_workers_get_different_account_fetches(
        self, plan: Plan, accounts: list[UUID]
    ) -> None:
        with ThreadPoolExecutor(3) as workers:
            taken = list(workers.map(lambda limit: subjects(plan, limit), [2, 2, 2]))
        assert sum(map(len, taken)) == len(set.union(*taken)) == len(accounts)
        assert plan.claim() == []

    def test_a_new_account_is_listed_for_its_job_or_for_the_schedule(
        self, customer: Customer, plan: Plan, accounts: list[UUID]
    ) -> None:
        """Fetched by both, its pages would be fetched and paid for twice."""
        with customer.store.write_session() as session:
            enqueue_all(session, [("discover_videos", session.get_one(Account, accounts[0]))])
        others = plan.claim()
        assert len(others) == 5
        [job] = queue.claim(customer.store, 10)
        queue.put_off(customer.store, [job], 60)
        assert plan.claim() == []
        with customer.store.write_session() as session:
            enqueue_all(session, [("discover_videos", session.get_one(Account, accounts[1]))])
        assert queue.claim(customer.store, 10) == []
        plan.settle(*others)
        [listed] = queue.claim(customer.store, 10)
        assert listed.account_id == accounts[1]

    def test_a_paying_fetch_does_not_wait_for_a_job_of_the_account(
        self, customer: Customer, plan: Plan, accounts: list[UUID]
    ) -> None:
        """An unread post of one organization must not delay the last fetch of another's period."""
        plan.settle(*plan.claim())
        unread = text("update visits set oldest_at = null, due_at = :now, pays_at = :now")
        with customer.store.write_session() as session:
            enqueue_all(session, [("video_stats", session.get_one(Account, accounts[0]))])
            session.execute(unread, {"now": plan.now})
        assert len(queue.claim(customer.store, 10)) == 1
        assert len(plan.claim()) == len(accounts)

    def test_new_accounts_whose_jobs_wait_are_read_once_by_a_claim(
        self, customer: Customer, plan: Plan
    ) -> None:
        """Reading all jobs per new account took four minutes for 2,000. Ended jobs are not read."""
        made = [customer.account(f"new{number}") for number in range(300)]
        plan.everything()
        with customer.store.write_session() as session:
            rows = [("discover_videos", session.get_one(Account, account)) for account in made]
            enqueue_all(session, rows)
            session.execute(text(MANY_ENDED_JOBS), {"account": made[0]})
            session.execute(text("analyze scrape_jobs"))
        with statements_sent() as sent:
            assert plan.claim() == []
        [claiming] = [each for each in sent if "SKIP LOCKED" in each]
        planned = plan_of(customer.store, claiming)
        assert planned.count("hashed SubPlan") == 2
        assert planned.count("ix_scrape_jobs_open") == 2
        assert "Seq Scan on scrape_jobs" not in planned

    def test_a_renewal_whose_commit_got_no_answer_loses_no_lease(
        self, plan: Plan, accounts: list[UUID], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        claimed = plan.claim()
        for _ in range(2):
            with monkeypatch.context() as patch:
                lose_the_answer(patch)
                with pytest.raises(OperationalError):
                    renew(plan.store, claimed)
        plan.settle(*claimed)
        plan.forget_leases()
        assert plan.claim() == []

    def test_leases_outlast_a_transaction_that_locks_their_rows(
        self, store: OperationalStore
    ) -> None:
        """Leases cannot be extended until the transaction reaches its limit."""
        with store.read_session() as session:
            limit = session.scalar(text("select cast(:idle as interval)"), {"idle": LONGEST_IDLE})
        assert limit + 2 * timedelta(seconds=EXTENDS_EVERY) < FETCH_LEASE

    @pytest.mark.parametrize("known", [{}, {"platform_user_id": "id-of-demo"}])
    def test_an_account_whose_user_id_becomes_known_is_left_to_its_worker(
        self, customer: Customer, plan: Plan, known: dict[str, str]
    ) -> None:
        """Its due times equal those of an account whose id was already known."""
        customer.account("demo", **known)
        plan.everything()
        claimed = plan.claim()
        plan.read(post("1", "demo", view_count=None), profiles=[profile("demo")])
        plan.everything()
        plan.after(days=2)
        renew(plan.store, claimed)
        assert plan.claim() == []
        plan.settle(*claimed, posts=["1"])
        assert plan.account_fetches() == {"id-of-demo": (NOON + timedelta(hours=1), "posts")}
        assert subjects(plan, 10) == {"id-of-demo"}

    @pytest.mark.parametrize("ends", [Plan.give_back, lambda plan, _: plan.forget_leases()])
    def test_such_an_account_continues_by_id_if_its_fetch_is_not_settled(
        self, customer: Customer, plan: Plan, ends: Callable[..., None]
    ) -> None:
        customer.account("demo")
        plan.everything()
        [by_handle] = plan.claim()
        plan.read(post("1", "demo", view_count=None), profiles=[profile("demo")])
        plan.everything()
        ends(plan, by_handle)
        plan.after(days=2)
        for _ in ("the former, by handle", "the account's"):
            claimed = plan.claim()
            plan.settle(*claimed, posts=plan.due(*claimed))
        assert plan.account_fetches().keys() == {"id-of-demo"}
        assert plan.claim() == []

    def test_claiming_a_few_does_not_read_all(self, customer: Customer) -> None:
        """This holds for claiming fetches and for extending and ending their leases."""
        store = customer.store
        with store.write_session() as session:
            driver_of(session).execute(MANY_ACCOUNT_FETCHES)
        with statements_sent() as sent:
            claimed = claim_fetches(store, "tiktok", 20)
            renew(store, claimed)
            release(store, claimed)
        plans = [plan_of(store, statement) for statement in sent if "visits" in statement]
        assert len(plans) == 8
        assert [
            plan for plan in plans if "Index Scan" not in plan or "Seq Scan on visits" in plan
        ] == []

    def test_a_dead_workers_unsettled_fetches_are_taken_over(
        self, plan: Plan, accounts: list[UUID]
    ) -> None:
        done, *lost = plan.claim()
        plan.settle(done)
        plan.forget_leases()
        claimed = [plan.claim() for _ in lost]
        assert sorted(map(len, claimed)) == [1] * (len(accounts) - 1), (
            "one by one: one may kill workers"
        )
        assert {account_fetch for [account_fetch] in claimed} == set(lost)

    @pytest.mark.parametrize("ends", [Plan.settle, Plan.give_back])
    def test_a_late_worker_ends_only_its_own_leases(
        self, plan: Plan, accounts: list[UUID], ends: Callable[..., None]
    ) -> None:
        late = plan.claim()
        plan.forget_leases()
        taken_over = [account_fetch for _ in late for account_fetch in plan.claim()]
        assert {account_fetch.subject for account_fetch in taken_over} == {
            account_fetch.subject for account_fetch in late
        }
        ends(plan, *late)
        plan.after(days=2)
        assert plan.claim() == []
        plan.give_back(*taken_over)
        assert len(plan.claim()) == len(accounts)

    def test_released_account_fetches_are_due_as_before(
        self, plan: Plan, accounts: list[UUID]
    ) -> None:
        assert accounts
        taken = plan.claim()
        plan.give_back(*taken)
        assert plan.claim() == taken

    def test_a_release_during_planning_waits_for_the_plan(
        self, customer: Customer, plan: Plan, accounts: list[UUID]
    ) -> None:
        """Planning writes account fetches in any order: both would deadlock."""
        claimed = plan.claim()
        assert len(claimed) == len(accounts)
        first, *_, last = sorted(account_fetch.subject for account_fetch in claimed)
        planned = "update visits set reason = 'posts' where subject = %s"
        with ThreadPoolExecutor(1) as worker, customer.store.write_session() as session:
            lock_plan(session)
            driver_of(session).execute(planned, [last])
            released = worker.submit(plan.give_back, *claimed)
            wait_until_waiting(customer.store.dsn)
            driver_of(session).execute(planned, [first])
            session.commit()
            released.result()
        assert len(plan.claim()) == len(accounts)

    def test_another_platforms_account_fetches_are_left_to_its_workers(
        self, customer: Customer, plan: Plan
    ) -> None:
        customer.account("demo", platform="instagram")
        plan.everything()
        assert plan.claim() == []

    def test_the_longest_due_come_first(self, customer: Customer, plan: Plan) -> None:
        for days in (1, 9, 5):
            customer.video(f"{days}", posted_at=NOON - days * DAY)
        plan.everything()
        with customer.store.write_session() as session:
            session.connection().exec_driver_sql("update visits set account_due_at = null")
        assert [account_fetch.subject for account_fetch in plan.claim()] == ["#9", "#5", "#1"]

    def test_an_empty_account_fetch_is_released(
        self, customer: Customer, plan: Plan, accounts: list[UUID]
    ) -> None:
        assert accounts
        with customer.store.write_session() as session:
            session.connection().exec_driver_sql("update accounts set is_active = false")
        plan.settle(*plan.claim())
        assert plan.account_fetches() == {}


class TestPlatformAway:
    def test_others_are_few_and_pay_only_if_no_more_are_due(
        self, plan: Plan, accounts: list[UUID]
    ) -> None:
        some = "subject <= '@demo3'"
        with plan.store.write_session() as session:
            session.execute(text(f"update visits set pays_at = due_at where {some}"))
        claim = partial(claim_others, plan.store, "tiktok", 50, but=["@demo0"])
        claimed = [{each.subject for each in claim()} for _ in "12"]
        assert {"@demo4", "@demo5"} < claimed[0]
        assert list(map(len, claimed)) == [MOST_OTHERS, len(accounts) - 1 - MOST_OTHERS]

    @pytest.mark.parametrize("is_away", [True, False])
    def test_a_released_paying_fetch_is_retried_until_its_period_ends(
        self, plan: Plan, accounts: list[UUID], is_away: bool
    ) -> None:
        assert accounts
        times = {"at": NOON, "before": NOON - 2 * BEFORE_END}
        with plan.store.write_session() as session:
            session.execute(text("update visits set pays_at = :before"), times)
            session.execute(text("update visits set pays_at = :at where subject = '@demo0'"), times)
        retries = []
        for minutes in (-1, 1, 17):
            now = NOON + timedelta(minutes=minutes)
            with plan.store.read_session() as session:
                retries.append(next_retry(session, "tiktok", now, is_away=is_away))
        assert retries == [None, NOON if is_away else None, None]

    def test_so_is_one_that_pays_long_before_a_period_ends(
        self, plan: Plan, accounts: list[UUID]
    ) -> None:
        """A threshold that it passed in the same outage hid the period's end."""
        times = {"account": accounts[0], "before": NOON - 3 * BEFORE_END, "end": NOON}
        with plan.store.write_session() as session:
            session.execute(text("update visits set pays_at = :before"), times)
            session.execute(
                text(
                    "insert into look_deadlines (creator_id, ends_at, organization_id)"
                    " select creator_id, :end, organization_id from accounts where id = :account"
                ),
                times,
            )
        for minutes, retry_at in ((-17, None), (-15, times["before"]), (1, None)):
            now = NOON + timedelta(minutes=minutes)
            with plan.store.read_session() as session:
                assert next_retry(session, "tiktok", now, is_away=True) == retry_at


class TestFailures:
    @pytest.mark.parametrize("is_answered", [True, False])
    def test_a_late_worker_does_not_decide_whether_an_account_answers(
        self, customer: Customer, plan: Plan, is_answered: bool
    ) -> None:
        """The late worker was stopped until its lease expired, and another fetched the account."""
        customer.account("demo")
        plan.everything()
        [late] = plan.claim()
        plan.forget_leases()
        plan.after(hours=1)
        [account_fetch] = plan.claim()
        plan.settle(account_fetch, failed=[] if is_answered else [account_fetch])
        planned = plan.account_fetches()
        plan.settle(late, failed=[late] if is_answered else [])
        assert plan.account_fetches() == planned

    @pytest.mark.parametrize("outcome", ["unreachable", "challenged"])
    def test_an_account_without_answer_is_due_after_minutes_that_grow_until_it_answers(
        self, customer: Customer, plan: Plan, outcome: str
    ) -> None:
        """While a route pauses, unsent fetches land as refused."""
        account = customer.account("demo", platform_user_id="1")
        customer.video("1", account=account, posted_at=NOON - 10 * DAY)
        plan.everything()
        waits = []
        for _ in range(5):
            [account_fetch] = plan.claim()
            assert plan.due(account_fetch) == ["1"]
            at = {"started_at": plan.now, "finished_at": plan.now}
            plan.read(outcomes=[fetch("demo", job_type="creator_profiles", outcome=outcome, **at)])
            plan.settle(account_fetch, failed=[account_fetch])
            claimed, [(due_at, _)] = plan.now, plan.account_fetches().values()
            waits.append(round((due_at - claimed).total_seconds() / 60))
            plan.now = due_at - MINUTE
            assert plan.claim() == []
            plan.after(minutes=2)
        assert waits == [5, 6, 13, 27, 55]  # each claim is a minute after the due time
        [account_fetch] = plan.claim()
        plan.settle(account_fetch, posts=["1"])
        [(due_at, _)] = plan.account_fetches().values()
        assert due_at - plan.now > timedelta(minutes=50)

    def test_a_machine_whose_clock_is_wrong_claims_nothing(
        self, plan: Plan, accounts: list[UUID], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for ahead, message in ((30 * DAY, "2592000 s ahead of"), (-2 * MINUTE, "120 s behind")):
            monkeypatch.setattr(clock, "datetime", clock_ahead(ahead))
            with pytest.raises(clock.WrongClockError, match=message):
                plan.claim()
        monkeypatch.setattr(clock, "datetime", clock_ahead(timedelta(seconds=2)))
        assert len(plan.claim()) == len(accounts)

    def test_a_machine_whose_clock_is_behind_corrects_nothing(
        self, plan: Plan, accounts: list[UUID], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert accounts
        plan.settle(*plan.claim())
        before = plan.account_fetches()
        plan.after(days=-30)
        monkeypatch.setattr(clock, "datetime", clock_ahead(-30 * DAY))
        with (
            pytest.raises(clock.WrongClockError, match="behind"),
            plan.store.write_session() as session,
        ):
            correct_ahead(session, plan.now)
        assert plan.account_fetches() == before
        monkeypatch.undo()
        with plan.store.write_session() as session:
            correct_ahead(session, plan.now)
        assert plan.account_fetches() != before


class TestDuePosts:
    def test_a_nearly_due_post_is_read_with_others(self, customer: Customer, plan: Plan) -> None:
        account = customer.account("demo")
        for number, views in (("1", 500_000), ("2", 450_000), ("3", 20_000)):
            customer.video(number, account=account, posted_at=NOON - 10 * DAY)
            plan.read(post(number, "demo", posted_at=NOON - 10 * DAY, view_count=views))
        plan.everything()
        plan.settle(*plan.claim())
        assert {name: reason for name, (_, reason) in plan.posts().items()} == {
            "1": "day_end",
            "2": "day_end",
            "3": "day_end",
        }
        plan.after(hours=12)
        [account_fetch] = plan.claim()
        assert plan.due(account_fetch) == ["1", "2", "3"]

    def test_a_due_post_has_its_author(self, customer: Customer, plan: Plan) -> None:
        account = customer.account("demo", platform_user_id="7")
        customer.video("1", account=account, posted_at=NOON)
        plan.everything()
        plan.claim()
        with customer.store.read_session() as session:
            [due] = due_posts(session, "tiktok", ["7"], plan.now)["7"]
        assert (due.handle, due.platform_user_id, due.was_read) == ("demo", "7", False)

    @pytest.mark.parametrize(
        ("views", "media_type", "has_views"),
        [
            (None, None, False),
            (None, "photo", False),
            (None, "video", True),  # for example a reel older than the newest twelve
            (0, None, True),
            (5000, "photo", True),
        ],
    )
    def test_a_due_post_has_a_views_flag(
        self,
        customer: Customer,
        plan: Plan,
        views: int | None,
        media_type: str | None,
        *,
        has_views: bool,
    ) -> None:
        account = customer.account("demo", platform_user_id="7")
        customer.video("1", account=account, posted_at=NOON)
        plan.read(post(1, "demo", posted_at=NOON, view_count=views, media_type=media_type))
        plan.everything()
        plan.after(days=2)
        plan.claim()
        with customer.store.read_session() as session:
            [due] = due_posts(session, "tiktok", ["7"], plan.now)["7"]
        with customer.store.read_session() as session:
            [scheduled] = scheduled_videos(session)
        assert (due.has_views, scheduled.has_views) == (has_views, has_views)

    def test_a_post_read_for_one_project_is_read_for_all(
        self, customer: Customer, plan: Plan
    ) -> None:
        other = add_organization(customer.store, "Other")
        account = customer.account("demo")
        customer.video("1", account=account, posted_at=NOON)
        add_video(customer.store, other, "1", posted_at=NOON)
        plan.everything()
        account_fetches = plan.claim(1)
        assert plan.due(*account_fetches) == ["1"]
        plan.settle(*account_fetches, posts=["1"])
        assert [account_fetch for account_fetch in plan.claim() if plan.due(account_fetch)] == []


def test_account_fetches_claimed_meanwhile_are_planned_too(
    customer: Customer, plan: Plan, accounts: list[UUID]
) -> None:
    """A claim moves the row; the plan finds it by its key."""
    wrong = "update visits set account_due_at = due_at + interval '1 year'"
    decided = "select subject, account_due_at from visits order by subject"
    settings, finding, *writing = ALL[-1].in_bulk
    with customer.store.write_session() as session:
        before = driver_of(session).execute(decided).fetchall()
        driver_of(session).execute(wrong)
    with customer.store.write_session() as session:
        for statement in (settings, finding):
            run(session, statement)
        claimed = plan.claim()
        for statement in writing:
            run(session, statement)
    with customer.store.read_session() as session:
        assert driver_of(session).execute(decided).fetchall() == before
    assert len(claimed) == len(accounts)
