"""Signed statements that contradict themselves, their rule or their period are refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.serving_api.resources.payouts.resigning import OURS, resigned, verifier, wrong
from tests.serving_api.resources.payouts.signable import (
    DAY,
    ENGAGED,
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
    goals,
    made,
    reached,
    sales,
    told,
    views,
)

KEYS = {"keys": [OURS.public_key]}
LATER = "2026-05-20T20:00:00.000000Z"


RIGHT = {
    "every day": fee(),
    "a pause": fee(20, paused=11),
    "a week": fee(7, 7, every="weekly", period=WEEK),
    "a day": fee(1, 1, every="daily", period=DAY),
    "views": views(RISE),
    "the last minute, in New York": views((*RISE[:3], "2026-05-25T03:59:59.999999Z")),
    "a reading as the lifetime ends": views(RISE, lifetime_ends_at=RISE[3]),
    "a post that rises twice": views(RISE, ("post-1", 1_000, 1_500, "2026-05-22T12:00:00.000000Z")),
    "no views, read before": views(RISE, ("post-2", 9, 9, "2026-05-01T12:00:00.000000Z")),
    "a threshold": bonus(RISE[3], RISE[3]),
    "goals": goals("goal-1", "goal-2"),
    "a goal of views": reached(count(), count(**OTHERS), actual=600),
    "a goal of one account": reached(
        count(), actual=300, of_account="account-1", agreed_account="account-1"
    ),
    "a first count that is all gained": reached(count(is_first=True), actual=400),
    "a first count of an older post": reached(
        count(is_first=True, posted_at="2026-05-18T03:59:59.999999Z"), actual=300
    ),
    "a post that rose for two accounts": reached(
        count(),
        count(begins=400, ends=500, account_id="account-2", to_reading={"captured_at": LATER}),
        actual=400,
    ),
    "a goal of engagement": reached(*ENGAGED, actual=11, metric="engagement"),
    "a goal of posts": reached(made(), actual=1, metric="posts"),
    "a goal of followers": reached(followers(), actual=50, metric="followers"),
    "sales": sales(SALE, ("sale-2", SALE[1])),
    "a week of its own": sales(SALE, days=("2026-05-20", "2026-05-26"), begins_on=3),
    "each sale": sales(SALE, days=DAY, every=None, cadence="every_conversion"),
    "a correction": correction(frozen=fee(), owed=None),
    "a second correction": correction(frozen=fee(), owed=None, settled=[("adjustment-1", -4_000)]),
    "what was paid undone": correction(
        frozen=None, owed=fee(), owed_cents=10_000, settled=[("adjustment-1", -4_000)]
    ),
}


@pytest.mark.parametrize("document", RIGHT.values(), ids=RIGHT)
def test_statements_that_hold_are_accepted(document: Document) -> None:
    verifier.verify(resigned({"statement": document}), KEYS)


CONTRADICTIONS = {
    "62 of 62 days of May": (fee(62, 62), "days: stated 62, computed 31"),
    "more days than there are": (fee(31, paused=1), "32 of 31 days are covered or paused"),
    "two months for one": (
        fee(61, 61, period=("2026-05-01", "2026-06-30")),
        "days of the period: stated 61, computed 31",
    ),
    "a month that begins in its middle": (
        fee(period=("2026-05-02", "2026-06-01")),
        "first day of the month: stated 2, computed 1",
    ),
    "a week that begins on a Tuesday": (
        fee(7, 7, every="weekly", period=("2026-05-19", "2026-05-25")),
        "first day of the week: stated 2, computed 1",
    ),
    "a week that begins on another day than agreed": (
        sales(SALE, begins_on=3),
        "first day of the week: stated 1, computed 3",
    ),
    "a post twice": (views(RISE, RISE), "views of post post-1 above 0 are counted twice"),
    "a part of a post twice": (
        views(RISE, ("post-1", 900, 1_500, LATER)),
        "views of post post-1 above 900 are counted twice",
    ),
    "views that are taken back": (
        views(RISE, ("post-2", 500, 400, RISE[3])),
        "views: -100 is less than nothing",
    ),
    "a reading of the week before": (
        views((*RISE[:3], "2026-05-18T03:59:59.999999Z")),
        "the reading of post post-1 is of 2026-05-17, outside 2026-05-18 to 2026-05-24",
    ),
    "a reading of the week after": (
        views((*RISE[:3], "2026-05-25T04:00:00.000000Z")),
        "the reading of post post-1 is of 2026-05-25, outside 2026-05-18 to 2026-05-24",
    ),
    "a reading of a day not covered": (
        views(RISE, covered=[{"from": "2026-05-21", "to": "2026-05-24"}]),
        "the reading of post post-1 is of 2026-05-20, a day not covered",
    ),
    "covered days of another week": (
        views(RISE, covered=[{"from": "2026-05-18", "to": "2026-05-25"}]),
        "2026-05-18 to 2026-05-25 are no days of 2026-05-18 to 2026-05-24",
    ),
    "a reading past the lifetime": (
        views(RISE, lifetime_ends_at="2026-05-20T11:59:59.999999Z"),
        "the reading of post post-1 is of later than 2026-05-20T11:59:59.999999Z",
    ),
    "views of another scope": (
        views(RISE, of_account="account-1"),
        "account_id as agreed: stated account-1, computed None",
    ),
    "a threshold reached on another day": (
        bonus("2026-05-21T12:00:00.000000Z", RISE[3]),
        "the reading is of 2026-05-21, outside 2026-05-20 to 2026-05-20",
    ),
    "a threshold read on another day": (
        bonus(RISE[3], "2026-05-19T12:00:00.000000Z"),
        "the reading is of 2026-05-19, outside 2026-05-20 to 2026-05-20",
    ),
    "a goal twice": (goals("goal-1", "goal-1"), "goal goal-1 is counted twice"),
    "less complete than agreed": (
        goals("goal-1", agreed_pct="75"),
        "min_completion_pct as agreed: stated 50, computed 75",
    ),
    "more views than were counted": (
        reached(count(), actual=301),
        "counts of goal goal-1: stated 301, computed 300",
    ),
    "views of another account than the goal's": (
        reached(count(), count(**OTHERS), actual=600, of_account="account-1"),
        "views of post-2 belong to no goal",
    ),
    "a goal of another account than agreed": (
        reached(count(), actual=300, of_account="account-1", agreed_account="account-2"),
        "account_id as agreed: stated account-1, computed account-2",
    ),
    "a goal of all accounts where one is agreed": (
        reached(count(), actual=300, agreed_account="account-1"),
        "account_id as agreed: stated None, computed account-1",
    ),
    "all views of an older post": (
        reached(count(is_first=True, posted_at="2026-05-18T03:59:59.999999Z"), actual=400),
        "counts of goal goal-1: stated 400, computed 300",
    ),
    "a goal that begins after its week": (
        reached(count(), actual=300, begins="2026-05-19"),
        "goal goal-1 begins on 2026-05-19",
    ),
    "likes as views": (
        reached(count("likes"), actual=300),
        "likes of post-1 belong to no goal",
    ),
    "a goal's views twice": (
        reached(count(), count(begins=300), actual=400),
        "views of post-1 above 300 are counted twice",
    ),
    "two first counts of a post": (
        reached(count(is_first=True), count(begins=400, ends=500, is_first=True), actual=900),
        "views of post-1 above 0 are counted twice",
    ),
    "a goal's post twice": (
        reached(made(), made(), actual=2, metric="posts"),
        "posts of post-1 above 0 are counted twice",
    ),
    "a goal's followers twice": (
        reached(followers(), followers(), actual=100, metric="followers"),
        "followers of account-1 above 900 are counted twice",
    ),
    "a goal's views of the week before": (
        reached(count(to_reading={"captured_at": "2026-05-18T03:59:59.999999Z"}), actual=300),
        "views of post-1 is of 2026-05-17, outside 2026-05-18 to 2026-05-24",
    ),
    "a goal's views read backwards": (
        reached(count(from_reading={"captured_at": "2026-05-21T00:00:00.000000Z"}), actual=300),
        "post post-1 was read to before it was read from",
    ),
    "a goal's views that fall": (
        reached(count(), count(begins=401, **OTHERS), actual=299),
        "views of post-2 cannot gain -1",
    ),
    "a post of the week after": (
        reached(made("2026-05-25T04:00:00.000000Z"), actual=1, metric="posts"),
        "posts of post-1 is of 2026-05-25, outside 2026-05-18 to 2026-05-24",
    ),
    "followers of the week after": (
        reached(followers(ends_on="2026-05-25"), actual=50, metric="followers"),
        "followers of account-1 are of 2026-05-16 to 2026-05-25",
    ),
    "followers counted backwards": (
        reached(followers("2026-05-20", "2026-05-19"), actual=50, metric="followers"),
        "followers of account-1 are of 2026-05-20 to 2026-05-19",
    ),
    "sales of another event": (
        sales(SALE, ("sale-2", SALE[1]), event_ids=["event-1", "event-2"]),
        "conversions of event event-1: stated 2, computed 1",
    ),
    "a sale twice": (sales(SALE, SALE), "conversion sale-1 is counted twice"),
    "a sale of the week before": (
        sales(("sale-1", "2026-05-18T03:00:00.000000Z")),
        "conversion sale-1 is of 2026-05-17, outside 2026-05-18 to 2026-05-24",
    ),
    "two sales in the amount of one": (
        sales(SALE, ("sale-2", SALE[1]), days=DAY, every=None, cadence="every_conversion"),
        "conversions of one amount: stated 2, computed 1",
    ),
    "another cadence than agreed": (
        sales(SALE, cadence="monthly"),
        "cadence as agreed: stated monthly, computed weekly",
    ),
    "more taken back than was paid": (
        correction(frozen=fee(), owed=None, frozen_cents=20_000),
        "frozen_cents: stated 20000, computed 10000",
    ),
    "less taken back than was paid": (
        correction(frozen=fee(), owed=None, owed_cents=4_000),
        "owed_cents: stated 4000, computed 0",
    ),
    "more owed than comes out": (
        correction(frozen=fee(), owed=fee(0, cents=0), owed_cents=12_000),
        "owed_cents: stated 12000, computed 0",
    ),
    "something frozen where nothing was paid": (
        correction(frozen=None, owed=fee(), owed_cents=10_000, frozen_cents=4_000),
        "frozen_cents: stated 4000, computed 10000",
    ),
    "a correction twice": (
        correction(frozen=fee(), owed=None, settled=[("adjustment-1", -500)] * 2),
        "adjustment adjustment-1 is counted twice",
    ),
    "an amount of other days corrected": (
        correction(frozen=fee(), owed=None, days=("2026-04-01", "2026-04-30")),
        "period_start of what is adjusted: stated 2026-04-01, computed 2026-05-01",
    ),
    "62 of 62 days frozen": (
        correction(frozen=fee(62, 62), owed=None),
        "days: stated 62, computed 31",
    ),
    "other days owed than agreed": (
        correction(
            frozen=fee(), owed=fee(1, 1, period=DAY), owed_cents=10_000, frozen_cents=10_000
        ),
        "first day of the month: stated 20, computed 1",
    ),
    "an adjustment as an earning": (
        correction(frozen=fee(), owed=None, kind="earning"),
        "kind: stated earning, computed adjustment",
    ),
}


def test_an_unknown_zone_is_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    statement_path, keys_path = tmp_path / "statement.json", tmp_path / "keys.json"
    document = fee()
    document["accrual"]["timezone"] = "Nowhere/None"
    statement_path.write_text(json.dumps(resigned({"statement": document})), encoding="utf-8")
    keys_path.write_text(json.dumps(KEYS), encoding="utf-8")
    assert verifier.main([str(statement_path), "--keys", str(keys_path)]) == 2
    assert "pip install tzdata" in capsys.readouterr().err


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


REFUSED = {**CONTRADICTIONS, **FORGED}


@pytest.mark.parametrize(("document", "reason"), REFUSED.values(), ids=REFUSED)
def test_contradictions_are_refused_whoever_signed_them(document: Document, reason: str) -> None:
    assert reason in wrong(resigned({"statement": document}), KEYS)
