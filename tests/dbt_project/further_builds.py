"""Decisions and accidents after a history's last build, and the payouts of further builds."""

from dataclasses import replace
from datetime import date, datetime
from uuid import UUID, uuid4

from tests.dbt_project.histories import Tables
from tests.dbt_project.payout_ledger import Ledger
from tests.dbt_project.stories import MARTS, NEEDED, as_copied, assert_same, without
from tests.dbt_project.whole_history import Build


def assert_counts_are(build: Build) -> None:
    expected = build.analytics()
    assert expected["goal_compliance"]
    for mart, rows in expected.items():
        assert_same(build.harness.rows(mart), rows, mart)


def assert_payouts_are(build: Build) -> None:
    earned = [without(row, "evidence") for row in build.owed]
    for mart, expected in zip(MARTS, (earned, build.shown), strict=False):
        names = sorted(expected[0])
        rows = [{name: row[name] for name in names} for row in build.harness.rows(mart)]
        assert_same(rows, expected, mart)


def rebuild_payouts(build: Build) -> None:
    """Build payouts again at the same time: only decisions have changed."""
    build.harness.decide(**as_copied(build.step.operational))
    run = build.harness.begin(as_of=build.as_of)
    assert not run.is_full_refresh
    build.harness.build(run, *NEEDED)
    build.harness.promote(run)
    assert_payouts_are(replace(build))


LOST = {
    "marts.video_deltas": "captured_at",
    "marts.account_snapshots": "captured_at",
    "marts.video_daily": "day",
    "marts.account_daily": "day",
    "marts.creator_daily": "day",
    "marts.campaign_daily": "day",
    "machinery.payout_earned": "period_end",
    "intermediate.int_payout_cpm_totals": "period_end",
}
"""Tables that lose the rows of some days, and the column of the day."""


def lose_rows(build: Build, after: date) -> None:
    with build.harness.connect() as connection:
        for relation, day in LOST.items():
            connection.execute(f"delete from {relation} where {day} > date '{after}'")


def exclude_all(operational: Tables, at: datetime) -> None:
    for video in operational["videos"]:
        video["tracking_status"] = "excluded"
        status = {"video_id": video["id"], "tracking_status": "excluded", "valid_from": at}
        operational["video_statuses"].append({"id": uuid4(), **status})


def void_all_payments(operational: Tables, at: datetime) -> None:
    for copy in operational["payout_payment_accruals"]:
        copy.update(is_live=False, released_at=copy["released_at"] or at)
    for payment in operational["payout_payments"]:
        payment["status"] = "void"


def pay_all(build: Build, seed: int) -> None:
    """Pay all final amounts above zero unchanged."""
    ledger = Ledger(seed, build.step.operational)
    ledger.ALTERED_SHARE = 0
    live = ledger.live()
    for row in build.shown:
        if row["status"] == "final" and row["amount_cents"] > 0 and row["accrual_id"] not in live:
            ledger.pay([row], build.as_of, "paid")


def touched_accruals(build: Build) -> set[UUID]:
    return build.harness.column("intermediate.int_touched_accruals", "accrual_id")


def settled_accruals(build: Build) -> set[UUID]:
    """Paid accruals that are settled until an input changes."""
    paid = build.harness.column(
        "machinery.payout_decided_accruals", "accrual_id", "payment_id is not null"
    )
    return paid - build.harness.column("control.payout_unsettled", "accrual_id")


def accruals_of(build: Build, payment_id: UUID) -> set[UUID]:
    """Accruals that a payment paid or corrected; an adjustment counts as the accrual it adjusts."""
    return {
        copy["adjusts_accrual_id"] or copy["accrual_id"]
        for copy in build.step.operational["payout_payment_accruals"]
        if copy["payment_id"] == payment_id
    }
