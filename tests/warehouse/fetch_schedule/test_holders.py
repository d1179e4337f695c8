"""Whose leases end when a run or worker is gone."""

from uuid import UUID

import pytest
from sqlalchemy import text

from tests.factories.tracking import Customer
from tests.warehouse.fetch_schedule.conftest import Plan
from warehouse.fetch_schedule.claims import claim_fetches, renew
from warehouse.fetch_schedule.holders import end_leases, leased_by
from warehouse.operational.models import Account
from warehouse.operational.store import OperationalStore
from warehouse.scrape_jobs import queue

CLAIM_AS_BEFORE_0079 = text("update visits set lease_expires_at = now() + interval '45 minutes'")


@pytest.fixture
def accounts(customer: Customer, plan: Plan) -> list[UUID]:
    """Two accounts, never fetched."""
    made = [customer.account(f"demo{number}") for number in range(2)]
    plan.everything()
    return made


def holders(store: OperationalStore) -> set[str]:
    with store.read_session() as session:
        return {*leased_by(session)}


@pytest.mark.parametrize("was_released", [True, False])
def test_what_a_worker_of_an_older_version_claimed_has_not_the_last_holder(
    plan: Plan, accounts: list[UUID], was_released: bool
) -> None:
    claimed = claim_fetches(plan.store, "tiktok", 10, holder="killed")
    assert len(claimed) == len(accounts)
    renew(plan.store, claimed)
    assert holders(plan.store) == {"killed"}
    if was_released:
        plan.give_back(*claimed)
    else:
        plan.forget_leases()
    with plan.store.write_session() as session:
        session.execute(CLAIM_AS_BEFORE_0079)
    assert holders(plan.store) == set()
    end_leases(plan.store, "killed")
    assert plan.claim() == []


def test_what_a_worker_claims_again_it_holds(plan: Plan, accounts: list[UUID]) -> None:
    """Its own lease ran out before it was killed."""
    for ended in (False, True):
        for _ in accounts:
            assert len(claim_fetches(plan.store, "tiktok", 1, holder="same")) == 1
        assert holders(plan.store) == {"same"}
        if not ended:
            plan.forget_leases()
            end_leases(plan.store, "same")
            assert holders(plan.store) == set()


def test_jobs_of_a_holder_that_is_gone_are_claimed_at_once_one_by_one(
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
    for account in accounts:
        [job] = queue.claim(store, 10)
        assert (job.account_id, job.attempts) == (account, 2)
    assert queue.claim(store, 10) == []
    assert queue.renew(store, [other]) == set()
