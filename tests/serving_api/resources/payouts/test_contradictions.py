"""Signed statements that contradict themselves, their rule or their period are refused.

The sentence is checked last: a case may have another sentence than its evidence's.
"""

from typing import Any

import pytest

from tests.serving_api.resources.payouts.resigning import OURS, resigned, verifier, wrong
from tests.serving_api.resources.payouts.signable import (
    DAY,
    EARLIER,
    ENGAGED,
    EVENING,
    MORNING,
    NOON,
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
    views,
)

KEYS = {"keys": [OURS.public_key]}
BEFORE, AFTER = "2026-05-18T03:59:59.999999Z", "2026-05-25T04:00:00.000000Z"
"""The last instant before the week in New York, and the first after it."""
APRIL = ("2026-04-01", "2026-04-30")
TERMS = "rule.criteria_params"
NEXT_RISE = ("post-1", 1_000, 1_500)
EACH = "every_conversion"
IN_A_PAYMENT = ("accrual.status", "open"), ("accrual.payment_id", "payment-1")
LIFETIME = {"lifetime_ends_at": "2026-06-01T00:00:00.000000Z", "lifetime_days": 30}


RIGHT = {
    "every day": fee(),
    "a pause": fee(20, paused=11),
    "a week": fee(7, 7, every="weekly", period=WEEK),
    "a day": fee(1, 1, every="daily", period=DAY),
    "views": views(RISE),
    "the last minute, in New York": views((*RISE[:3], "2026-05-25T03:59:59.999999Z")),
    "a reading as the lifetime ends": views(RISE, lifetime_ends_at=NOON),
    "a post that rises twice": views(RISE, ("post-1", 1_000, 1_500, "2026-05-22T12:00:00.000000Z")),
    "no views, read before": views(RISE, ("post-2", 9, 9, "2026-05-01T12:00:00.000000Z")),
    "a threshold": bonus(NOON, NOON),
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
        count(begins=400, ends=500, account_id="account-2", to_reading={"captured_at": EVENING}),
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


def limited(document: Document, *limits: str) -> Document:
    return changed(document, ("evidence.limited_by", [*limits]))


def computed(document: Document, at: str) -> Document:
    return changed(document, ("accrual.computed_at", at))


def with_cap(cents: int, document: Document) -> Document:
    caps = ((f"{part}.max_payout_cents", cents) for part in ("evidence", TERMS))
    return changed(document, *caps)


def capped() -> Document:
    """A dollar for Wednesday, capped at 90 cents."""
    cents = ((f"evidence.{name}_cents", "90") for name in ("precise", "running_total"))
    amount = ("accrual.amount_cents", 90), ("accrual.precise_amount", "90")
    wednesday = [{"from": DAY[0], "to": DAY[1]}]
    return changed(with_cap(90, views(RISE, covered=wednesday)), *cents, *amount)


def excluding(*posts: str) -> Document:
    """Pay for views, with excluded posts."""
    waiting = [{"video_id": post, "posted_at_awaited_until": EVENING} for post in posts]
    return changed(views(RISE), ("evidence.held", waiting))


def of_goal(*counts: Document, actual: int = 300, **goal: Any) -> Document:
    return reached(*counts, actual=actual, **goal)


def second(**of: Any) -> Document:
    """A post's count from 400 to 500."""
    return count(begins=400, ends=500, **of)


def without(document: Document, *names: str) -> Document:
    facts = {name: fact for name, fact in document["evidence"].items() if name not in names}
    return {**document, "evidence": facts}


def taken_back(*changes: tuple[str, Any], **correcting: Any) -> Document:
    return changed(correction(**{"frozen": fee(), "owed": None, **correcting}), *changes)


def of_two_posts() -> Document:
    """$50 for one post, corrected to another post."""
    frozen = changed(bonus(NOON, NOON), ("evidence.video_id", "post-2"))
    settled = [("adjustment-1", -1_000)]
    cents = {"frozen_cents": 5_000, "owed_cents": 5_000}
    document = correction(frozen=frozen, owed=bonus(NOON, NOON), settled=settled, days=DAY, **cents)
    return changed(document, ("accrual.subject_id", "post-1"), ("accrual.view_count", 1_000))


BELOW_NOTHING = (
    (views(RISE), "videos.0.views"),
    (views(RISE), "carry_in"),
    (goals("goal-1"), "goals.0.target"),
    (of_goal(count()), "counts.0.from"),
    (sales(SALE), "conversions.0.quantity"),
    (sales(SALE), "conversions.0.total_value_cents"),
    (fee(), "paused_days"),
)
NEGATIVE_TIER = {"up_to_impressions": 100, "cents_per_thousand": "-1", "impressions": 100}
OF_AMOUNTS = (
    ("amount_cents: 10000.5 is not a whole", changed(fee(), ("evidence.amount_cents", 10_000.5))),
    ("amount_cents: '5' is not a whole", changed(fee(), ("evidence.amount_cents", "5"))),
    *(
        (f"{path.split('.')[-1]}: -1 is less than", changed(document, (f"evidence.{path}", -1)))
        for document, path in BELOW_NOTHING
    ),
    ("-10000 cents are less", changed(fee(cents=-10_000), ("evidence.amount_cents", -10_000))),
    (
        "up to 100 pay less than nothing",
        changed(views(RISE), ("evidence.tiers", [{**NEGATIVE_TIER, "cents": "-0.1"}])),
    ),
    ("stated 1e999999999", changed(views(RISE), ("evidence.precise_cents", "1e999999999"))),
    ("payable views: stated 1000, computed 1500", changed(views(RISE), ("evidence.carry_in", 500))),
    ("above 0 are counted twice", views(RISE, RISE)),
    ("above 900 are counted twice", views(RISE, ("post-1", 900, 1_500, EVENING))),
    ("post-1 was read to before", views(RISE, (*NEXT_RISE, MORNING))),
    ("post-1 was read to before", views(RISE, (*NEXT_RISE, NOON))),
    ("post-1 was read to before", views(RISE, read_from=NOON)),
    ("goals without a goal", changed(goals("goal-1"), ("evidence.goals", []))),
    ("goal goal-1 is counted twice", goals("goal-1", "goal-1")),
    ("completion_pct is 0.5", changed(of_goal(count()), ("evidence.completion_pct", "0.5"))),
    ("completion_pct is x", changed(of_goal(count()), ("evidence.completion_pct", "x"))),
    ("conversion sale-1 is counted twice", sales(SALE, SALE)),
    (
        "conversions of event event-1: stated 2",
        sales(SALE, ("sale-2", NOON), event_ids=["event-1", "event-2"]),
    ),
)
OF_THE_PERIOD = (
    ("the period begins after", computed(fee(), "2026-05-01T03:59:59Z")),
    (f"captured_at {NOON} is later", computed(views(RISE), MORNING)),
    (f"occurred_at {NOON} is later", computed(sales(SALE), MORNING)),
    (f"reached_at {NOON} is later", computed(bonus(NOON, MORNING), MORNING)),
    (f"posted_at {NOON} is later", computed(of_goal(made(NOON), metric="posts"), MORNING)),
    ("to_day 2026-05-24 is later", computed(of_goal(followers(), metric="followers"), NOON)),
    ("has no time zone", sales(("sale-1", NOON.removesuffix("Z")))),
    ("days: stated 62, computed 31", fee(62, 62)),
    ("32 of 31 days are covered", fee(31, paused=1)),
    ("of the period: stated 61", fee(61, 61, period=("2026-05-01", "2026-06-30"))),
    ("of the month: stated 2", fee(period=("2026-05-02", "2026-06-01"))),
    ("of the week: stated 2", fee(7, 7, every="weekly", period=("2026-05-19", "2026-05-25"))),
    ("of the week: stated 1, computed 3", sales(SALE, begins_on=3)),
    ("post post-1 is of 2026-05-17, outside", views((*RISE[:3], BEFORE))),
    ("post post-1 is of 2026-05-25, outside", views((*RISE[:3], AFTER))),
    ("conversion sale-1 is of 2026-05-17", sales(("sale-1", BEFORE))),
    ("the reading is of 2026-05-17", bonus(BEFORE, NOON)),
    ("the reading is of 2026-05-17", bonus(NOON, BEFORE)),
    (f"reached at {MORNING}, but read", bonus(MORNING, NOON)),
    ("2026-05-20, a day not covered", views(RISE, covered=[{"from": "2026-05-21", "to": WEEK[1]}])),
    ("are no days of", views(RISE, covered=[{"from": WEEK[0], "to": "2026-05-25"}])),
    ("2026-05-18 is covered twice", views(RISE, covered=[*WHOLE_WEEK, *WHOLE_WEEK])),
    ("no day is covered", views(covered=[])),
    ("every day is covered", limited(views(RISE), "paused")),
    ("post-1 is of later than", views(RISE, lifetime_ends_at="2026-05-20T11:59:59.999999Z")),
    ("no lifetime of a post ended", limited(views(RISE), "view_lifetime")),
    ("no lifetime of a post ended", limited(views(RISE, **LIFETIME), "view_lifetime")),
    ("post-1 has no end, but", views(RISE, lifetime_days=30)),
    ("post-1 has an end, but", changed(views(RISE), ("evidence.videos.0.lifetime_ends_at", AFTER))),
    (
        "lifetime_ends_at of post-1",
        changed(
            views(RISE, (*NEXT_RISE, EVENING), **LIFETIME),
            ("evidence.videos.1.lifetime_ends_at", AFTER),
        ),
    ),
)
OF_GOALS = (
    ("stated 301, computed 300", of_goal(count(), actual=301)),
    ("stated 400, computed 300", of_goal(count(is_first=True, posted_at=BEFORE), actual=400)),
    ("post-2 belong to no goal", of_goal(count(), count(**OTHERS), of_account="account-1")),
    ("likes of post-1 belong to no goal", of_goal(count("likes"))),
    ("goal goal-1 begins on 2026-05-19", of_goal(count(), begins="2026-05-19")),
    ("views of post-1 above 300", of_goal(count(), count(begins=300))),
    ("views of post-1 above 0", of_goal(count(is_first=True), second(is_first=True))),
    ("posts of post-1 above 0", of_goal(made(), made(), metric="posts")),
    ("followers of account-1 above 900", of_goal(followers(), followers(), metric="followers")),
    ("views of post-1 is of 2026-05-17", of_goal(count(to_reading={"captured_at": BEFORE}))),
    (
        "views of post-1 is of 2026-05-17",
        of_goal(count(is_first=True, from_reading={"captured_at": BEFORE})),
    ),
    ("post-1 was read to before", of_goal(count(from_reading={"captured_at": EVENING}))),
    ("post-1 was read to before", of_goal(count(), second(to_reading={"captured_at": MORNING}))),
    ("post-2 cannot gain -1", of_goal(count(begins=401, **OTHERS))),
    ("posts of post-1 is of 2026-05-25", of_goal(made(AFTER), metric="posts")),
    ("2026-05-16 to 2026-05-25", of_goal(followers(ends_on="2026-05-25"), metric="followers")),
    ("05-20 to 2026-05-19", of_goal(followers("2026-05-20", "2026-05-19"), metric="followers")),
    ("platform of account-1", of_goal(count(), count(video_id="post-2", platform="instagram"))),
    (
        "posted_at of post-1",
        of_goal(count(), second(posted_at=MORNING, to_reading={"captured_at": EVENING})),
    ),
)
OF_THE_RULE = (
    ("the scope of the rule is account", changed(views(RISE), ("rule.platform_scope", "account"))),
    ("is all, but platform is tiktok", changed(views(RISE), ("rule.platform", "tiktok"))),
    ("agreed: stated account-1, computed None", views(RISE, of_account="account-1")),
    ("agreed: stated None, computed account-1", of_goal(count(), agreed_account="account-1")),
    (
        "agreed: stated account-1, computed account-2",
        of_goal(count(), of_account="account-1", agreed_account="account-2"),
    ),
    (
        "agreed: stated account-1, computed account-2",
        changed(
            views(RISE, of_account="account-2"),
            *(("rule.platform_scope", "account"), ("rule.account_id", "account-2")),
        ),
    ),
    (
        "agreed: stated account-1, computed account-2",
        changed(bonus(NOON, NOON), ("rule.account_id", "account-2")),
    ),
    ("min_completion_pct as agreed: stated 50", goals("goal-1", agreed_pct="75")),
    (
        "currency as agreed: stated EUR",
        changed(bonus(NOON, NOON), (f"{TERMS}.thresholds.0.currency", "EUR")),
    ),
    ("cadence of the rule", changed(sales(SALE), (f"{TERMS}.cadence", "monthly"))),
    ("cadence as agreed: stated monthly", sales(SALE, cadence="monthly")),
    (
        "conversions of one amount: stated 2",
        without(sales(SALE, ("sale-2", NOON), days=DAY, every=None), "cadence"),
    ),
)
VIEWS: dict[str, Any] = {"frozen": views(RISE), "frozen_cents": 100, "days": WEEK}
OF_ADJUSTMENTS = (
    ("frozen_cents: stated 20000, computed 10000", taken_back(frozen_cents=20_000)),
    ("owed_cents: stated 4000, computed 0", taken_back(owed_cents=4_000)),
    (
        "frozen_cents: stated 4000, computed 10000",
        taken_back(frozen=None, owed=fee(), owed_cents=10_000, frozen_cents=4_000),
    ),
    ("adjustment adjustment-1 is", taken_back(settled=[("adjustment-1", -500)] * 2)),
    ("amounts between which", without(taken_back(), "frozen", "owed")),
    (
        "the amount owed has no evidence",
        taken_back(("evidence.owed.evidence", {}), owed=fee(), frozen=None, owed_cents=10_000),
    ),
    ("period_start of what is adjusted", taken_back(days=APRIL)),
    ("days: stated 62, computed 31", taken_back(frozen=fee(62, 62))),
    (f"captured_at {NOON} is later", taken_back(("evidence.frozen.computed_at", MORNING), **VIEWS)),
    (
        "day of the month: stated 20, computed 1",
        taken_back(owed=fee(1, 1, period=DAY), owed_cents=10_000),
    ),
    (
        "the rule is recurring, not cpm",
        taken_back(owed=fee(7, 7, every="weekly", period=WEEK), owed_cents=10_000, **VIEWS),
    ),
    (
        "period_start of the amount owed",
        taken_back(frozen=fee(30, 30, period=APRIL), owed=fee(), owed_cents=10_000, days=APRIL),
    ),
    ("version_number as agreed: stated 9", taken_back(("evidence.frozen.version_number", 9))),
    (
        f"version of the present amount: stated {EARLIER}",
        taken_back(("evidence.owed.version_id", EARLIER), owed=fee(), owed_cents=10_000),
    ),
    ("an adjustment of nothing", taken_back(owed=fee(), owed_cents=10_000)),
    ("accrual-1 is counted twice", taken_back(("accrual.adjusts_accrual_id", "accrual-1"))),
    ("accrual-1 is counted twice", taken_back(settled=[("accrual-1", -4_000)])),
    ("booked in 2026-04-01, before", taken_back(("accrual.booked_in", "2026-04-01"))),
    ("kind: stated earning", taken_back(kind="earning")),
    ("subject_id: stated post-1, computed post-2", of_two_posts()),
    ("status settling", taken_back(("accrual.status", "settling"))),
    ("an adjustment has no booked_in", taken_back(("accrual.booked_in", None))),
    ("an adjustment has no adjusts_accrual", taken_back(("accrual.adjusts_accrual_id", None))),
)
OF_FIELDS = (
    *(
        (f"{name}: stated {value}, computed", changed(document, (f"accrual.{name}", value)))
        for document, name, value in (
            (fee(), "currency", "EUR"),
            (fee(), "criteria_type", "cpm"),
            (fee(), "version_number", 3),
            (fee(), "limited_by", "paused"),
            (fee(), "post_count", 1),
            (views(RISE), "post_count", 7),
            (bonus(NOON, NOON), "subject_id", "post-2"),
            (bonus(NOON, NOON), "view_count", 1_000_000),
            (sales(SALE), "subject_id", "sale-1"),
            (sales(SALE, days=DAY, every=None, cadence=EACH), "subject_id", "sale-2"),
        )
    ),
    ("computed USD", changed(fee(), ("accrual.currency", "EUR"), ("rule.currency", "EUR"))),
    (
        "max_payout: stated True, computed False",
        limited(with_cap(1_000, views(RISE)), "max_payout"),
    ),
    ("paused: stated True, computed False", limited(fee(), "paused")),
    (
        "proration: stated False, computed True",
        changed(
            fee(20, cents=6_452),
            *((f"{part}.proration_mode", "prorate") for part in ("evidence", "rule")),
            ("accrual.precise_amount", "6451.612903226"),
        ),
    ),
    ("order of limits", limited(capped(), "paused", "max_payout")),
    ("order of limits", limited(capped(), "max_payout", "max_payout")),
    ("post left out post-2 is counted twice", excluding("post-2", "post-2")),
    ("post-1 is left out and counted", excluding("post-1")),
    ("status paid with payment None", changed(fee(), ("accrual.status", "paid"))),
    ("status open with payment payment-1", changed(fee(), *IN_A_PAYMENT)),
    ("an earning has adjusts_accrual_id", changed(fee(), ("accrual.adjusts_accrual_id", "a"))),
    ("an earning has booked_in", changed(fee(), ("accrual.booked_in", "2026-06-01"))),
    ("sentence: stated ''", changed(fee(), ("summary", ""))),
    ("sentence: stated", changed(fee(), ("summary", "31 of 31 days covered: $100.00 of $900.00"))),
    ("sentence: stated", changed(views(RISE), ("summary", "1,000 at $1.00: $900.00"))),
)
REFUSED = (
    *(*OF_AMOUNTS, *OF_THE_PERIOD, *OF_GOALS),
    *(*OF_THE_RULE, *OF_ADJUSTMENTS, *OF_FIELDS),
)


@pytest.mark.parametrize(("reason", "document"), REFUSED, ids=[reason for reason, _ in REFUSED])
def test_contradictions_are_refused_even_if_signed(reason: str, document: Document) -> None:
    assert reason in wrong(resigned({"statement": document}), KEYS)
