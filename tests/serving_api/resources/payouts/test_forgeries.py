"""Contradictions that a signed statement could contain: the verifier names each."""

from typing import Any

import pytest

from tests.serving_api.resources.payouts.resigning import OURS, resigned, wrong
from tests.serving_api.resources.payouts.signable import (
    DAY,
    OTHERS,
    RISE,
    SALE,
    WEEK,
    WHOLE_WEEK,
    Document,
    bonus,
    changed,
    correction,
    count,
    fee,
    followers,
    made,
    reached,
    sales,
    told,
    views,
)

KEYS = {"keys": [OURS.public_key]}
NOON = RISE[3]
MORNING, EVENING = "2026-05-20T08:00:00.000000Z", "2026-05-20T20:00:00.000000Z"
NEXT_RISE = ("post-1", 1_000, 1_500)


def limited(document: Document, *limits: str) -> Document:
    """A statement that names these limits."""
    named = ("evidence.limited_by", [*limits]), ("accrual.limited_by", limits[0])
    return told(changed(document, *named))


def capped() -> Document:
    """A dollar of Wednesday, cut to 90 cents."""
    params = ((f"{part}.max_payout_cents", 90) for part in ("evidence", "rule.criteria_params"))
    cents = ("evidence.precise_cents", "90"), ("evidence.running_total_cents", "90")
    amount = ("accrual.amount_cents", 90), ("accrual.precise_amount", "90")
    day = [{"from": DAY[0], "to": DAY[1]}]
    return changed(views(RISE, covered=day), *params, *cents, *amount)


def added(document: Document, name: str, value: Any) -> Document:
    """A statement whose evidence has another fact."""
    return told({**document, "evidence": {**document["evidence"], name: value}})


def complete_in_part() -> Document:
    """A goal that was met, said to be met by half."""
    document = reached(count(), actual=300)
    params = ((f"{part}.mode", "all") for part in ("evidence", "rule.criteria_params"))
    return told(changed(document, *params, ("evidence.completion_pct", "0.5")))


def below_nothing() -> Document:
    """A goal of less than nothing, which nobody can miss."""
    goal = {"goal_id": "goal-1", "target": -5, "actual": 0, "fraction": "0", "is_met": True}
    document = reached(count(), actual=300)
    document["evidence"] |= {"goals": [goal]}
    del document["evidence"]["counts"]
    return told(document)


def without_cadence() -> Document:
    """Two sales in the amount of one."""
    document = sales(SALE, ("sale-2", SALE[1]), days=DAY, every=None)
    del document["evidence"]["cadence"]
    return changed(document, ("accrual.subject_id", None))


def taken_back(*settled: tuple[str, int], **accrual: Any) -> Document:
    document = correction(frozen=fee(), owed=None, settled=settled)
    return {**document, "accrual": {**document["accrual"], **accrual}}


def carried_without_days() -> Document:
    """A dollar for views of earlier weeks, in a week without an assignment."""
    document = views(RISE, covered=[], post_count=None)
    carried = ("evidence.videos", []), ("evidence.impressions", 0), ("evidence.carry_in", 1_000)
    return told(changed(document, *carried))


def scoped(scope: str, **named: str) -> Document:
    """Views by a rule of this scope, which names something else."""
    document = views(RISE)
    for part in ("rule", "evidence"):
        document[part] |= {"platform_scope": scope, **named}
    return document


def negative_fee() -> Document:
    amounts = ("rule.amount_cents", "evidence.amount_cents", "accrual.amount_cents")
    document = changed(fee(), *((name, -10_000) for name in amounts))
    return told(changed(document, ("accrual.precise_amount", "-10000")))


def negative_rate() -> Document:
    """A first tier that takes back what the second pays."""
    first = {"up_to_impressions": 100, "cents_per_thousand": "-1000"}
    rest = {"up_to_impressions": None, "cents_per_thousand": "1000"}
    document = views(RISE)
    document["rule"]["criteria_params"]["tiers"] = [first, rest]
    document["evidence"]["tiers"] = [
        {**first, "impressions": 100, "cents": "-100"},
        {**rest, "impressions": 900, "cents": "900"},
    ]
    cents = ("before_cap_cents", "precise_cents", "running_total_cents")
    document["evidence"] |= dict.fromkeys(cents, "800")
    amount = ("accrual.amount_cents", 800), ("accrual.precise_amount", "800")
    return told(changed(document, *amount))


def rise(at: str) -> Document:
    """A dollar for views read at noon, and for 500 more that were read at another instant."""
    return views(RISE, (*NEXT_RISE, at))


ALIVE = {"lifetime_ends_at": "2026-06-01T00:00:00.000000Z", "lifetime_days": 30}

FORGED = {
    "a later limit as the first": (limited(capped(), "paused", "max_payout"), "order of limits"),
    "a limit twice": (limited(capped(), "max_payout", "max_payout"), "order of limits"),
    "a pause of views in a week that is covered": (
        limited(views(RISE), "paused"),
        "every day is covered, but some are paused",
    ),
    "a lifetime that ended for no post": (
        limited(views(RISE, **ALIVE), "view_lifetime"),
        "no lifetime of a post ended",
    ),
    "a day covered twice": (
        views(RISE, covered=[*WHOLE_WEEK, *WHOLE_WEEK]),
        "2026-05-18 is covered twice",
    ),
    "carried views paid without a covered day": (carried_without_days(), "no day is covered"),
    "more views read earlier": (rise(MORNING), "post post-1 was read to before"),
    "two numbers of views at one instant": (rise(NOON), "post post-1 was read to before"),
    "an end of a lifetime that the rule does not have": (
        changed(views(RISE), ("evidence.videos.0.lifetime_ends_at", ALIVE["lifetime_ends_at"])),
        "post post-1 has an end, but the rule has no lifetime",
    ),
    "two ends of a post's lifetime": (
        changed(
            views(RISE, (*NEXT_RISE, EVENING), **ALIVE),
            ("evidence.videos.1.lifetime_ends_at", "2026-06-02T00:00:00.000000Z"),
        ),
        "lifetime_ends_at of post-1",
    ),
    "a post that is left out and counted": (
        added(
            views(RISE),
            "held",
            [{"video_id": "post-1", "posted_at_awaited_until": EVENING}],
        ),
        "post post-1 is left out and counted",
    ),
    "a post left out twice": (
        added(
            views(RISE),
            "held",
            [{"video_id": "post-2", "posted_at_awaited_until": EVENING}] * 2,
        ),
        "post left out post-2 is counted twice",
    ),
    "a reading after the computation": (
        changed(views(RISE), ("accrual.computed_at", MORNING)),
        "is later than",
    ),
    "a sale after the computation": (
        changed(sales(SALE), ("accrual.computed_at", MORNING)),
        "is later than",
    ),
    "a threshold after the computation": (
        changed(bonus(NOON, NOON), ("accrual.computed_at", MORNING)),
        "is later than",
    ),
    "days to come": (
        changed(fee(), ("accrual.computed_at", "2026-05-01T03:59:59Z")),
        "the period begins after",
    ),
    "a frozen reading after its computation": (
        changed(
            correction(frozen=views(RISE), owed=None, frozen_cents=100, days=WEEK),
            ("evidence.frozen.computed_at", MORNING),
        ),
        "is later than",
    ),
    "a met goal that is half complete": (complete_in_part(), "completion_pct"),
    "a goal of less than nothing": (below_nothing(), "target: -5 is less than nothing"),
    "a rate below nothing": (negative_rate(), "pay less than nothing"),
    "a fee below nothing": (negative_fee(), "less than nothing"),
    "two sales in one amount, without a cadence": (without_cadence(), "conversions of one amount"),
    "euros that the sentence calls dollars": (
        changed(fee(), ("accrual.currency", "EUR"), ("rule.currency", "EUR")),
        "currency: stated EUR, computed USD",
    ),
    "a count that no goal has": (
        changed(reached(count(), count("likes", **OTHERS), actual=300), ("accrual.post_count", 2)),
        "likes of post-2 belong to no goal",
    ),
    "an account on two platforms": (
        reached(count(), count(video_id="post-2", platform="instagram"), actual=600),
        "platform of account-1",
    ),
    "a post made at two instants": (
        reached(
            count(),
            count(begins=400, ends=500, posted_at=MORNING, to_reading={"captured_at": EVENING}),
            actual=400,
        ),
        "posted_at of post-1",
    ),
    "a first count that was known before": (
        reached(
            count(is_first=True, from_reading={"captured_at": "2026-05-17T12:00:00Z"}),
            actual=400,
        ),
        "views of post-1 is of 2026-05-17, outside",
    ),
    "a goal's second rise read before its first": (
        reached(
            count(),
            count(begins=400, ends=500, to_reading={"captured_at": MORNING}),
            actual=400,
        ),
        "post post-1 was read to before",
    ),
    "a post made after the computation": (
        changed(
            reached(made(EVENING), actual=1, metric="posts"),
            ("accrual.computed_at", NOON),
        ),
        "is later than",
    ),
    "followers counted after the computation": (
        changed(
            reached(followers(), actual=50, metric="followers"),
            ("accrual.computed_at", NOON),
        ),
        "is later than",
    ),
    "a rule of one account that names none": (
        scoped("account"),
        "the scope of the rule is account, but account_id is None",
    ),
    "a rule of all accounts that names a platform": (
        scoped("all", platform="tiktok"),
        "the scope of the rule is all, but platform is tiktok",
    ),
    "a rule with two cadences": (
        changed(sales(SALE), ("rule.criteria_params.cadence", "monthly")),
        "cadence of the rule: stated monthly, computed weekly",
    ),
    "paid in no payment": (
        changed(fee(), ("accrual.status", "paid"), ("accrual.payment_id", None)),
        "status paid with payment None",
    ),
    "open in a payment": (
        changed(fee(), ("accrual.status", "open"), ("accrual.payment_id", "payment-1")),
        "status open with payment payment-1",
    ),
    "a correction that settles": (taken_back(status="settling"), "status settling"),
    "a correction that is booked nowhere": (
        taken_back(booked_in=None),
        "an adjustment has no booked_in",
    ),
    "a correction of itself": (
        taken_back(adjusts_accrual_id="accrual-1"),
        "adjustment accrual-1 is counted twice",
    ),
    "a correction after itself": (
        taken_back(("accrual-1", -4_000)),
        "adjustment accrual-1 is counted twice",
    ),
    "a correction booked before its period": (
        taken_back(booked_in="2026-04-01"),
        "booked in 2026-04-01, before 2026-05-01",
    ),
}


@pytest.mark.parametrize(("document", "reason"), FORGED.values(), ids=FORGED)
def test_forged_statements_are_refused(document: Document, reason: str) -> None:
    assert reason in wrong(resigned({"statement": document}), KEYS)
