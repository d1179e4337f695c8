"""The daily request budget and the priorities when it is too small."""

from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.orm import Session

from tests.factories.landing import NOON, post
from tests.factories.tracking import add_account, add_video
from tests.warehouse.fetch_schedule.conftest import Plan
from warehouse.fetch_schedule import budget
from warehouse.fetch_schedule.budget import (
    PER_ACCOUNT_FETCH,
    Allowance,
    allowance,
    allowed_now,
    claim_due,
)
from warehouse.fetch_schedule.claims import ClaimedFetch
from warehouse.fetch_schedule.waiting import late_posts, waiting_fetches
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.spending import Spent, add
from warehouse.operational.store import OperationalStore

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
MIDNIGHT = datetime(2026, 5, 4, tzinfo=UTC)
ENDS_AT_MIDNIGHT = """
    insert into look_deadlines (creator_id, ends_at, organization_id)
    select id, :at, organization_id from creators
"""


class TestAllowance:
    @pytest.mark.parametrize(
        ("at", "spent", "paying", "account_fetches", "others"),
        [
            # 240 a day are 10 requests an hour: three account fetches before the day begins
            (0, 0, 0, 80, 3),
            (11, 0, 0, 80, 40),
            (23, 0, 0, 80, 80),
            (11, 120, 0, 40, 0),
            (23, 180, 0, 20, 20),
            # twenty paying account fetches to come reserve 60 requests
            (23, 150, 20, 30, 10),
            (23, 200, 20, 13, 0),
            (23, 300, 0, 0, 0),
            (11, 0, 1000, 80, 0),
        ],
    )
    def test_one(self, at: int, spent: int, paying: int, account_fetches: int, others: int) -> None:
        budget = allowance(240, spent, paying, MIDNIGHT + at * HOUR)
        assert budget == Allowance(account_fetches, others)

    @given(
        most=st.integers(0, 10**6),
        spent=st.integers(0, 10**6),
        paying=st.integers(0, 10**5),
        minutes=st.integers(0, 24 * 60 - 1),
    )
    def test_a_day_has_a_limit_and_paying_fetches_a_reserve(
        self, most: int, spent: int, paying: int, minutes: int
    ) -> None:
        budget = allowance(most, spent, paying, MIDNIGHT + timedelta(minutes=minutes))
        assert 0 <= budget.others <= budget.account_fetches
        assert spent + PER_ACCOUNT_FETCH * budget.account_fetches <= max(most, spent)
        if budget.others:
            assert spent + PER_ACCOUNT_FETCH * (budget.others + paying) <= most


@pytest.fixture
def waiting(plan: Plan, store: OperationalStore, organization: NewOrganization) -> Plan:
    """Five accounts with one post each, due for an hour; the fifth for a payout threshold."""
    for number in range(5):
        name = f"demo{number}"
        account = add_account(store, organization, name, platform_user_id=name)
        add_video(store, organization, f"7{number}", account=account, posted_at=NOON - 99 * DAY)
    plan.everything()
    plan.read(*(post(f"7{number}", f"demo{number}", view_count=900) for number in range(5)))
    plan.settle(*plan.claim())
    plan.after(hours=30)
    with store.write_session() as session:
        session.execute(
            text(
                "update visits set oldest_at = oldest_at + interval '1 minute'"
                " * substr(subject, 5)::int, pays_at = case subject when 'demo4' then due_at end"
            )
        )
    return plan


def claimed(plan: Plan, most: int | None, limit: int = 50) -> list[str]:
    return sorted(
        account_fetch.subject for account_fetch in claim_due(plan.store, "tiktok", limit, most=most)
    )


def spend(plan: Plan, requests: int) -> None:
    with plan.store.engine.begin() as connection:
        add(connection, "tiktok", plan.now.date(), Spent(requests))


class TestClaims:
    def test_paying_fetches_come_first_then_the_oldest(self, waiting: Plan) -> None:
        assert claimed(waiting, 10_000, limit=2) == ["demo0", "demo4"]

    def test_paying_fetches_come_first_also_without_a_limit(self, waiting: Plan) -> None:
        with waiting.store.write_session() as session:
            session.execute(
                text("update visits set due_at = :at, pays_at = :at where subject = 'demo4'"),
                {"at": waiting.now},
            )
        assert claimed(waiting, None, limit=2) == ["demo4"]
        assert claimed(waiting, None) == ["demo0", "demo1", "demo2", "demo3"]

    def test_after_the_even_share_only_paying_fetches_run(self, waiting: Plan) -> None:
        spend(waiting, 200)
        assert claimed(waiting, 240) == ["demo4"]

    def test_no_fetch_starts_after_the_days_budget(self, waiting: Plan) -> None:
        spend(waiting, 240)
        assert claimed(waiting, 240) == []
        waiting.after(days=1)
        assert claimed(waiting, 240) != []

    def test_requests_are_reserved_for_paying_fetches_later_today(self, waiting: Plan) -> None:
        with waiting.store.write_session() as session:
            later = {"at": waiting.now + 2 * HOUR}
            session.execute(text("update visits set pays_at = :at"), later)
        assert claimed(waiting, 5 * PER_ACCOUNT_FETCH) == []
        assert len(claimed(waiting, 10_000)) == 5

    @pytest.mark.parametrize("reason", ["growth", "day_end"])
    def test_a_late_fetch_pays_from_right_before_its_period_ends(
        self, plan: Plan, store: OperationalStore, organization: NewOrganization, reason: str
    ) -> None:
        """A fetch that was due earlier must not lose its priority: its period would end unread."""
        account = add_account(store, organization, "demo", platform_user_id="demo")
        add_video(store, organization, "7", account=account, posted_at=NOON - 5 * DAY)
        with store.write_session() as session:
            session.execute(text(ENDS_AT_MIDNIGHT), {"at": NOON + 12 * HOUR})
        for hours in (-3, -1, 0 if reason == "growth" else 5):
            plan.now = NOON + hours * HOUR
            plan.everything()
            fetched = plan.claim()
            plan.read(post("7", "demo", view_count=105_000 + 1000 * hours))
            plan.settle(*fetched, posts=["7"])
        assert plan.posts()["7"][1] == reason
        paying = []
        for minutes in (16, 10):
            plan.now = NOON + 12 * HOUR - timedelta(minutes=minutes)
            paying.append(len(claim_due(plan.store, "tiktok", 9, only_paying=True)))
        assert paying == [0, 1]

    def test_before_a_period_ends_recently_read_or_failing_posts_come_last(
        self, waiting: Plan
    ) -> None:
        with waiting.store.write_session() as session:
            session.execute(
                text(
                    "update visits set pays_at = due_at - interval '1 s' * substr(subject, 5)::int,"
                    " failing_since = case subject when 'demo0' then due_at end"
                )
            )
        assert claimed(waiting, None, limit=2) == ["demo1", "demo2"]

    def test_account_fetches_under_way_count_before_their_requests(self, waiting: Plan) -> None:
        assert len(claimed(waiting, 240, limit=3)) == 3
        spend(waiting, 240 - 4 * PER_ACCOUNT_FETCH)
        with waiting.store.write_session() as session:
            session.execute(text("update visits set pays_at = due_at"))
        assert len(claimed(waiting, 240)) == 1

    def test_leases_written_while_a_clock_was_ahead_take_no_allowance(self, waiting: Plan) -> None:
        assert len(claimed(waiting, 240, limit=3)) == 3
        spend(waiting, 240 - 3 * PER_ACCOUNT_FETCH)
        for days, is_any in ((0, False), (30, True)):
            with waiting.store.write_session() as session:
                later = f"lease_expires_at = lease_expires_at + interval '{days} days'"
                session.execute(text(f"update visits set pays_at = due_at, {later}"))
            assert bool(claimed(waiting, 240)) == is_any

    def test_workers_that_claim_at_one_instant_share_an_allowance(
        self, waiting: Plan, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The second worker claims after the first has read the allowance but not yet claimed."""
        spend(waiting, 240 - PER_ACCOUNT_FETCH)
        store = waiting.store
        with store.write_session() as session:
            session.execute(text("update visits set pays_at = due_at"))
        others: list[Future[list[ClaimedFetch]]] = []

        def read_then_wait(session: Session, *arguments: Any) -> Allowance:
            allowed = allowed_now(session, *arguments)
            monkeypatch.undo()
            others.append(pool.submit(claim_due, store, "tiktok", 50, most=240))
            blocked = text("select count(*) from pg_locks where not granted")
            while not others[0].done() and not session.scalar(blocked):
                pass
            return allowed

        monkeypatch.setattr(budget, "allowed_now", read_then_wait)
        with ThreadPoolExecutor(1) as pool:
            first = claim_due(store, "tiktok", 50, most=240)
        assert (len(first), len(others[0].result())) == (1, 0)


def test_posts_without_a_fetch_for_28_hours_are_late(
    plan: Plan, store: OperationalStore, organization: NewOrganization
) -> None:
    for number in range(3):
        add_video(store, organization, f"7{number}", posted_at=NOON - 9 * DAY, created_at=NOON)
    plan.everything()
    plan.after(hours=20)
    plan.read(post("70", "demo", view_count=9))

    def late() -> list[tuple[str, int, int]]:
        with plan.store.read_session() as session:
            return [tuple(row) for row in late_posts(session, plan.now)]

    assert late() == [("tiktok", 3, 0)]
    plan.after(hours=8, seconds=1)
    assert late() == [("tiktok", 3, 2)]
    assert date(2026, 5, 5) <= plan.now.date()
    plan.after(days=-2)
    assert late() == [("tiktok", 3, 1)]  # the readings are in the future


def test_posts_without_a_fetch_wait_from_their_addition(
    plan: Plan, store: OperationalStore, organization: NewOrganization
) -> None:
    add_account(store, organization, "demo", created_at=NOON - HOUR)
    known = {"platform": "instagram", "platform_user_id": "77"}
    add_account(store, organization, "known", **known, created_at=NOON - 2 * HOUR)
    plan.everything()

    def since() -> dict[str, tuple[int, datetime]]:
        with plan.store.read_session() as session:
            return {row[0]: (row[1], row[2]) for row in waiting_fetches(session, plan.now)}

    assert since() == {"tiktok": (1, NOON - HOUR), "instagram": (1, NOON - 2 * HOUR)}
    old = {"posted_at": NOON - 99 * DAY, "created_at": NOON - 3 * HOUR}
    add_video(store, organization, "7", **old)
    plan.everything()
    assert since()["tiktok"] == (2, NOON - 3 * HOUR)
    plan.settle(*plan.claim(), posts=["7"])
    plan.after(hours=30)
    due = min(plan.account_fetches()[subject][0] for subject in ("@demo", "#7"))
    assert abs(since()["tiktok"][1] - due) < timedelta(minutes=1)
