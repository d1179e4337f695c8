"""Payouts are a function of facts and decisions, never of the runs before (money.md M3).

Runs that die before publishing are part of every PayoutStory.
"""

from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from tests.dbt_project.histories import Tables
from tests.dbt_project.stories import PayoutStory, as_copied
from tests.oracles import payouts


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[PayoutStory, payouts.Facts]:
    """Two runs, and decisions on what they show: each test goes on with a copy."""
    story = PayoutStory(tmp_path_factory.mktemp("played"), 34, organizations=15, runs=2)
    *_, facts = story.play()
    return story, facts


@pytest.fixture
def story(played: tuple[PayoutStory, payouts.Facts], tmp_path: Path) -> PayoutStory:
    return played[0].copy(tmp_path)


@pytest.fixture
def facts(played: tuple[PayoutStory, payouts.Facts]) -> payouts.Facts:
    return played[1]


def test_a_backfill_mends_the_periods_of_the_days_that_it_names(
    story: PayoutStory, facts: payouts.Facts
) -> None:
    """Rows that were lost come back, those of payees without any reading as well."""
    lost_from = facts.as_of.date() - timedelta(days=7)
    with story.harness.connect() as connection:
        for table in ("machinery.payout_earned", "intermediate.int_payout_cpm_totals"):
            connection.execute(f"delete from {table} where period_end >= '{lost_from}'")
    run = story.run(
        facts.as_of,
        from_day=lost_from - timedelta(days=31),
        to_day=facts.as_of.date() + timedelta(days=31),
    )
    assert not run.is_full_refresh
    story.assert_marts_agree(facts, "after a backfill")


def test_a_payment_that_is_taken_back_keeps_no_excluded_video(
    story: PayoutStory, facts: payouts.Facts
) -> None:
    """What was paid before a video was excluded counts it, until it is paid no more (M13)."""
    operational = story.history.operational
    exclude_all(operational, facts.as_of + timedelta(minutes=2))
    run_again(story, facts, "all excluded")
    with story.harness.connect() as connection:
        assert len(connection.table("intermediate.int_payout_kept_videos")) > 0
    take_all_back(operational, facts.as_of + timedelta(minutes=3))
    run_again(story, facts, "all taken back")


def exclude_all(operational: Tables, at: datetime) -> None:
    for video in operational["videos"]:
        video["tracking_status"] = "excluded"
        status = {"video_id": video["id"], "tracking_status": "excluded", "valid_from": at}
        operational["video_statuses"].append({"id": uuid4(), **status})


def take_all_back(operational: Tables, at: datetime) -> None:
    for copy in operational["payout_payment_accruals"]:
        copy.update(is_live=False, released_at=copy["released_at"] or at)
    for payment in operational["payout_payments"]:
        payment["status"] = "void"


def run_again(story: PayoutStory, facts: payouts.Facts, when: str) -> None:
    """Nothing was read and no time has passed since: only decisions are others."""
    story.harness.decide(**as_copied(story.history.operational))
    story.run(facts.as_of)
    now = payouts.Facts(story.history.operational, story.facts, facts.as_of)
    story.assert_marts_agree(now, when)


def test_what_is_paid_costs_a_run_nothing(story: PayoutStory, facts: payouts.Facts) -> None:
    """A run shows those accruals anew that somebody decided on, or that time alone may change."""
    pay_all(story, facts)
    run_again(story, facts, "all paid")
    settled = settled_accruals(story)
    assert len(settled) > 50
    run_again(story, facts, "nothing new")
    assert touched_accruals(story).isdisjoint(settled)
    payment = story.history.operational["payout_payments"][-1]
    payment["status"] = "pending"
    run_again(story, facts, "one payment is to come")
    assert touched_accruals(story) & settled == settled & accruals_of(story, payment["id"])


def pay_all(story: PayoutStory, facts: payouts.Facts) -> None:
    """Have all that is final and comes to anything paid, as it is."""
    story.ledger.OTHERWISE = 0
    live = story.ledger.live()
    for row in payouts.shown(facts, payouts.owed(facts)):
        if row["status"] == "final" and row["amount_cents"] > 0 and row["accrual_id"] not in live:
            story.ledger.pay([row], facts.as_of, "paid")


def touched_accruals(story: PayoutStory) -> set[UUID]:
    return story.harness.column("intermediate.int_touched_accruals", "accrual_id")


def settled_accruals(story: PayoutStory) -> set[UUID]:
    """What is paid and needs no look until something happens."""
    paid = story.harness.column(
        "machinery.payout_decided_accruals", "accrual_id", "payment_id is not null"
    )
    return paid - story.harness.column("control.payout_unsettled", "accrual_id")


def accruals_of(story: PayoutStory, payment_id: UUID) -> set[UUID]:
    copies = story.history.operational["payout_payment_accruals"]
    return {copy["accrual_id"] for copy in copies if copy["payment_id"] == payment_id}


def test_the_only_organization_may_move(tmp_path: Path) -> None:
    """All that is owed is computed anew, though the run goes on where the last one ended."""
    story = PayoutStory(tmp_path, 5, organizations=1, runs=1)
    (facts,) = story.play()
    [organization] = story.history.operational["organizations"]
    organization["analytics_tz"] = "Asia/Kolkata"
    story.harness.decide(**as_copied(story.history.operational))
    story.run(facts.as_of)
    moved = payouts.Facts(story.history.operational, story.facts, facts.as_of)
    story.assert_marts_agree(moved, "in another zone")
