"""Whose leases end when a run or worker is gone."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import select, update

from tests.factories.landing import fetch
from tests.factories.tracking import Customer
from tests.warehouse.fetch_schedule.conftest import Plan
from warehouse.fetch_schedule.claims import ClaimedFetch, claim_fetches, renew
from warehouse.fetch_schedule.holders import end_leases, leased_by
from warehouse.operational.models import Account, AccountFetch, ScrapeJob
from warehouse.operational.store import OperationalStore
from warehouse.scrape_jobs import queue

Ending = Callable[[Plan, list[ClaimedFetch], Sequence[ScrapeJob]], None]


@pytest.fixture
def accounts(customer: Customer, plan: Plan) -> list[UUID]:
    """Two accounts, never fetched."""
    made = [customer.account(f"demo{number}") for number in range(2)]
    plan.everything()
    return made


def holders(store: OperationalStore) -> set[str]:
    with store.read_session() as session:
        return {*leased_by(session)}


def finish(plan: Plan, jobs: Sequence[ScrapeJob], outcome: str) -> None:
    """Register the result of the job of `demo0`."""
    job_id, at = str(jobs[0].id), plan.now
    result = fetch("demo0", job_id=job_id, outcome=outcome, started_at=at, finished_at=at)
    plan.read(outcomes=[result])


def let_pass(store: OperationalStore, **time: float) -> None:
    """Move all leases back, by PostgreSQL's clock."""
    for table in (AccountFetch, ScrapeJob):
        earlier = table.lease_expires_at - timedelta(**time)
        with store.write_session() as session:
            session.execute(update(table).values(lease_expires_at=earlier))


def test_a_fetch_that_kills_each_worker_stops_no_other_and_fails_no_job(
    customer: Customer, plan: Plan, accounts: list[UUID]
) -> None:
    """Workers are killed every six seconds."""
    with plan.store.write_session() as session:
        account = session.get_one(Account, customer.account("requested"))
        job = queue.enqueue(session, job_type="creator_profiles", account=account).id
    claimed = Counter[str]()
    for _ in range(30):
        end_leases(plan.store, "killed")
        fetches = claim_fetches(plan.store, "tiktok", 50, holder="killed")
        claimed.update(fetch.subject for fetch in fetches)
        queue.claim(plan.store, 50, holder="killed")
        let_pass(plan.store, seconds=6)
    assert [*claimed.values()] == [2 for _ in accounts]
    with plan.store.read_session() as session:
        assert session.get_one(ScrapeJob, job).status == "running"


def test_what_a_holder_has_released_gets_no_lease(plan: Plan, accounts: list[UUID]) -> None:
    plan.give_back(*claim_fetches(plan.store, "tiktok", 10, holder="killed"))
    assert holders(plan.store) == set()
    end_leases(plan.store, "killed")
    assert len(plan.claim()) == len(accounts)


ENDS: list[Ending] = [
    lambda plan, fetches, _: plan.settle(*fetches),
    lambda plan, fetches, _: plan.settle(*fetches, failed=fetches),
    lambda plan, fetches, _: plan.give_back(*fetches),
    lambda plan, _, jobs: queue.put_back(plan.store, jobs, 60),
    lambda plan, _, jobs: queue.put_off(plan.store, jobs, 60),
    lambda plan, _, jobs: finish(plan, jobs, "ok"),
    lambda plan, _, jobs: finish(plan, jobs, "not_found"),
    lambda plan, _, jobs: finish(plan, jobs, "rate_limited"),
]


@pytest.mark.parametrize("end", ENDS)
def test_the_holder_of_a_lease_ends_with_it(plan: Plan, accounts: list[UUID], end: Ending) -> None:
    """A worker of schema 0078 claims without writing one: its leases ended with the former's."""
    fetches = claim_fetches(plan.store, "tiktok", 10, holder="ended")
    with plan.store.write_session() as session:
        account = session.get_one(Account, accounts[0])
        queue.enqueue(session, job_type="discover_videos", account=account)
    end(plan, fetches, queue.claim(plan.store, 10, holder="ended"))
    with plan.store.read_session() as session:
        rows = [*session.scalars(select(AccountFetch)), *session.scalars(select(ScrapeJob))]
    assert {row.lease_holder for row in rows if row.lease_expires_at} == {"ended"}
    assert {row.lease_holder for row in rows if not row.lease_expires_at} == {None}


def test_what_a_worker_renews_or_claims_again_it_holds(plan: Plan, accounts: list[UUID]) -> None:
    """Its own leases ran out before."""
    claimed = claim_fetches(plan.store, "tiktok", 10, holder="same")
    let_pass(plan.store, hours=1)
    assert holders(plan.store) == set()
    for each in claimed:
        each.row.lease_expires_at -= timedelta(hours=1)  # type: ignore[operator]
    renew(plan.store, claimed)
    assert holders(plan.store) == {"same"}
    let_pass(plan.store, hours=1)
    for _ in accounts:
        assert len(claim_fetches(plan.store, "tiktok", 1, holder="same")) == 1
    assert holders(plan.store) == {"same"}


def test_jobs_of_a_holder_that_is_gone_are_claimed_two_minutes_later_one_by_one(
    customer: Customer, accounts: list[UUID]
) -> None:
    store = customer.store
    living = customer.account("living")
    with store.write_session() as session:
        fetches = [("creator_profiles", session.get_one(Account, each)) for each in accounts]
        queue.enqueue_all(session, fetches)
    assert len(queue.claim(store, 10, holder="killed")) == len(accounts)
    with store.write_session() as session:
        queue.enqueue_all(session, [("creator_profiles", session.get_one(Account, living))])
    [other] = queue.claim(store, 10, holder="living")
    end_leases(store, "killed")
    assert queue.claim(store, 10) == []
    let_pass(store, minutes=2)
    for account in accounts:
        [job] = queue.claim(store, 10)
        assert (job.account_id, job.attempts) == (account, 2)
    assert queue.claim(store, 10) == []
    assert queue.renew(store, [other]) == set()
