"""Signed statements that contradict themselves, their rule or their period are refused."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.serving_api.resources.payouts.resigning import OURS, resigned, verifier, wrong

Document = dict[str, Any]
KEYS = {"keys": [OURS.public_key]}
VERSION, EARLIER = "version-2", "version-1"
WEEK = ("2026-05-18", "2026-05-24")
MAY = ("2026-05-01", "2026-05-31")
DAY = ("2026-05-20", "2026-05-20")
SALE = ("sale-1", "2026-05-20T12:00:00.000000Z")
RISE = ("post-1", 0, 1_000, "2026-05-20T12:00:00.000000Z")
WHOLE_WEEK = [{"from": "2026-05-18", "to": "2026-05-24"}]


def statement(
    rule: Document, evidence: Document, cents: int, days: tuple[str, str], **accrual: Any
) -> Document:
    """A statement of our own, in New York, where the week begins at four in UTC."""
    period = {"period_start": days[0], "period_end": days[1], "timezone": "America/New_York"}
    amount = {"amount_cents": cents, "precise_amount": str(cents), "currency": "USD"}
    accrual_facts = {
        "kind": "earning",
        "version_id": VERSION,
        "structure_name": "Fee",
        "status": "final",
    }
    return {
        "format": verifier.FORMAT,
        "issuer": "https://tracker.example",
        "issued_at": "2026-06-20T12:00:00Z",
        "accrual": {**period, **amount, **accrual_facts, **accrual},
        "rule": {"id": VERSION, "period_anchor": None, **rule},
        "evidence": evidence,
        "summary": "",
    }


def fee(
    covered: int = 31,
    days: int = 31,
    cents: int = 10_000,
    *,
    paused: int = 0,
    period: tuple[str, str] = MAY,
    every: str = "monthly",
) -> Document:
    terms = {"amount_cents": 10_000, "proration_mode": "full"}
    counted = {"days": days, "covered_days": covered, "paused_days": paused}
    rule = {"criteria_type": "recurring", "criteria_params": {}, "period": every, **terms}
    return statement(rule, {"type": "recurring", **terms, **counted}, cents, period)


def views(
    *rises: tuple[str, int, int, str],
    covered: Iterable[Mapping[str, str]] = WHOLE_WEEK,
    lifetime_ends_at: str | None = None,
    of_account: str | None = None,
) -> Document:
    """Ten cents for a hundred views."""
    videos = [
        {
            "video_id": post,
            "account_id": "account-1",
            "views_from": views_from,
            "views_to": views_to,
            "views": views_to - views_from,
            "lifetime_ends_at": lifetime_ends_at,
            "from_reading": None,
            "to_reading": {"captured_at": at, "source": "web", "is_exact": True},
        }
        for post, views_from, views_to, at in rises
    ]
    gained = sum(video["views"] for video in videos)
    cents = gained // 10
    tier = {"up_to_impressions": None, "cents_per_thousand": "100"}
    terms = {"min_impressions": 0, "max_payout_cents": None, "view_lifetime_days": None}
    scope = {"platform_scope": "all", "platform": None, "account_id": None}
    evidence = {
        "type": "cpm",
        **terms,
        **scope,
        "account_id": of_account,
        "impressions": gained,
        "carry_in": 0,
        "payable": gained,
        "carry_out": 0,
        "tiers": [{**tier, "impressions": gained, "cents": str(cents)}],
        "before_cap_cents": str(cents),
        "precise_cents": str(cents),
        "running_total_before_cents": "0",
        "running_total_cents": str(cents),
        "covered": list(covered),
        "videos": videos,
    }
    params = {"tiers": [tier], **terms}
    rule = {"criteria_type": "cpm", "criteria_params": params, "period": "weekly", **scope}
    return statement(rule, evidence, cents, WEEK)


def bonus(reached_at: str, read_at: str) -> Document:
    threshold = {"view_count": 1_000, "amount_cents": 5_000}
    read = {"reached_at": reached_at, "views_read": 1_200, "reading": {"captured_at": read_at}}
    evidence = {"type": "view_threshold", "video_id": "post-1", **threshold, **read}
    rule = {"criteria_params": {"thresholds": [threshold]}, "period": None}
    return statement({"criteria_type": "view_threshold", **rule}, evidence, 5_000, DAY)


def goals(*ids: str, actual: int = 60, agreed_pct: str = "50") -> Document:
    """Half of a hundred dollars, times how much is complete of goals of 100 posts."""
    fraction = str(actual / 100)
    met = {"target": 100, "actual": actual, "fraction": fraction, "is_met": False}
    days = {"days": 7, "covered_days": 7, "paused_days": 0}
    terms = {"amount_cents": 10_000, "proration_mode": "full"}
    params = {"mode": "all", "n": None, "partial_allowed": True, "partial_multiplier": "0.5"}
    evidence = {
        "type": "goals",
        **days,
        **terms,
        **params,
        "min_completion_pct": "50",
        "met": 0,
        "goals": [{"goal_id": goal_id, **met} for goal_id in ids],
        "completion_pct": fraction,
        "fraction_paid": str(actual / 200),
    }
    rule = {"criteria_params": {**params, "min_completion_pct": agreed_pct}, "period": "weekly"}
    return statement({"criteria_type": "goals", **terms, **rule}, evidence, actual * 50, WEEK)


def reached(
    *counts: Document,
    actual: int,
    metric: str = "views",
    begins: str = "2026-05-18",
    agreed_account: str | None = None,
    of_account: str | None = None,
) -> Document:
    """A hundred dollars for a goal that was just met, as the counts behind it say."""
    days = {"days": 7, "covered_days": 7, "paused_days": 0}
    terms = {"amount_cents": 10_000, "proration_mode": "full"}
    params = {"mode": "any", "n": None, "partial_allowed": False, "partial_multiplier": "1"}
    params["min_completion_pct"] = "0"
    goal = {"goal_id": "goal-1", "metric": metric, "platform": None, "account_id": of_account}
    met = {"target": actual, "actual": actual, "fraction": "1", "is_met": True}
    listed = {"goals": [{**goal, **met, "counts_from": begins}], "counts": list(counts)}
    paid = {"met": 1, "completion_pct": None, "fraction_paid": "1"}
    evidence = {"type": "goals", **days, **terms, **params, **paid, **listed}
    rule = {"criteria_params": params, "period": "weekly", "account_id": agreed_account}
    return statement({"criteria_type": "goals", **terms, **rule}, evidence, 10_000, WEEK)


def count(
    counter: str = "views", begins: int | None = 100, ends: int | None = 400, **of: Any
) -> Any:
    """How far a post of a TikTok account came by noon of the 20th; it was made that Monday."""
    post = {"video_id": "post-1", "account_id": "account-1", "platform": "tiktok"}
    posted = {"posted_at": "2026-05-18T12:00:00.000000Z", "is_first": False}
    read = {"from_reading": None, "to_reading": {"captured_at": RISE[3]}}
    days = {"from_day": None, "to_day": None}
    counted = {"counter": counter, "from": begins, "to": ends}
    return {**post, **posted, **days, **read, **counted, **of}


def followers(begins_on: str = "2026-05-16", ends_on: str = "2026-05-24") -> Document:
    days = {"from_day": begins_on, "to_day": ends_on}
    of_account = {"video_id": None, "posted_at": None, "is_first": None, "to_reading": None}
    return count("followers", 900, 950, **of_account, **days)


def made(at: str = "2026-05-18T12:00:00.000000Z") -> Document:
    nothing_read = {"is_first": None, "to_reading": None}
    return count("posts", None, None, posted_at=at, **nothing_read)


ENGAGED = [count("likes", 0, 9), count("comments", 1, 3)]
OTHERS = {"video_id": "post-2", "account_id": "account-2"}


def sales(
    *made: tuple[str, str],
    days: tuple[str, str] = WEEK,
    every: str | None = "weekly",
    cadence: str = "weekly",
    begins_on: int | None = None,
    event_ids: Iterable[str] | None = None,
) -> Document:
    """Fifty cents each; the evidence says of which event each is, unless `event_ids` has others."""
    rate = {"conversion_event_id": "event-1", "rate_type": "flat", "amount_cents": 50}
    counted = {"conversions": len(made), "quantity": len(made), "total_value_cents": 0}
    figures = {"quantity": 1, "total_value_cents": 0}
    cents = 50 * len(made)
    events = event_ids or ["event-1"] * len(made)
    evidence = {
        "type": "conversion",
        "cadence": cadence,
        "rates": [{**rate, **counted, "cents": str(cents)}],
        "conversions": [
            {"conversion_id": name, "conversion_event_id": event, "occurred_at": at, **figures}
            for (name, at), event in zip(made, events, strict=True)
        ],
    }
    rule = {"criteria_params": {"rates": [rate]}, "period": every, "period_anchor": begins_on}
    return statement({"criteria_type": "conversion", **rule}, evidence, cents, days)


def correction(
    *,
    frozen: Document | None,
    owed: Document | None,
    frozen_cents: int = 10_000,
    owed_cents: int = 0,
    settled: Iterable[tuple[str, int]] = (),
    days: tuple[str, str] = MAY,
    kind: str = "adjustment",
) -> Document:
    """An adjustment between two statements of our own; the earlier is of an earlier version."""
    before = None if frozen is None else {**side(frozen), "version_id": EARLIER}
    listed = [{"accrual_id": name, "amount_cents": cents} for name, cents in settled]
    evidence = {
        "type": "adjustment",
        "frozen": before,
        "frozen_cents": frozen_cents,
        "owed": None if owed is None else side(owed),
        "owed_cents": owed_cents,
        "settled": listed,
    }
    cents = owed_cents - frozen_cents - sum(settlement["amount_cents"] for settlement in listed)
    return statement(fee()["rule"], evidence, cents, days, kind=kind)


def side(earning: Document) -> Document:
    names = ("amount_cents", "version_id", "timezone", "period_start", "period_end")
    facts = {name: earning["accrual"][name] for name in names}
    return {**facts, "evidence": earning["evidence"]}


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
    "a goal of views": reached(count(), count("likes", 0, 9), count(**OTHERS), actual=600),
    "a goal of one account": reached(
        count(), count(**OTHERS), actual=300, of_account="account-1", agreed_account="account-1"
    ),
    "a first count that is all gained": reached(count(is_first=True), actual=400),
    "a first count of an older post": reached(
        count(is_first=True, posted_at="2026-05-18T03:59:59.999999Z"), actual=300
    ),
    "a post that rose for two accounts": reached(
        count(), count(begins=400, ends=500, account_id="account-2"), actual=400
    ),
    "a goal of engagement": reached(*ENGAGED, count(), actual=11, metric="engagement"),
    "a goal of posts": reached(made(), count(), actual=1, metric="posts"),
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
        views(RISE, ("post-1", 900, 1_500, RISE[3])),
        "views of post post-1 above 900 are counted twice",
    ),
    "views that are taken back": (
        views(RISE, ("post-2", 500, 400, RISE[3])),
        "post post-2 cannot gain -100 views",
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
        "counts of goal goal-1: stated 600, computed 300",
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
        "counts of goal goal-1: stated 300, computed 0",
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


@pytest.mark.parametrize(("document", "reason"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_contradictions_are_refused_whoever_signed_them(document: Document, reason: str) -> None:
    assert reason in wrong(resigned({"statement": document}), KEYS)


def test_an_unknown_zone_is_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    statement_path, keys_path = tmp_path / "statement.json", tmp_path / "keys.json"
    document = fee()
    document["accrual"]["timezone"] = "Nowhere/None"
    statement_path.write_text(json.dumps(resigned({"statement": document})), encoding="utf-8")
    keys_path.write_text(json.dumps(KEYS), encoding="utf-8")
    assert verifier.main([str(statement_path), "--keys", str(keys_path)]) == 2
    assert "pip install tzdata" in capsys.readouterr().err
