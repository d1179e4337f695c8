"""Signed statements that contradict themselves, their rule or their period are refused."""

import json
from pathlib import Path

import pytest

from tests.serving_api.resources.payouts.resigning import OURS, resigned, verifier, wrong
from tests.serving_api.resources.payouts.signable import (
    DAY,
    ENGAGED,
    OTHERS,
    RISE,
    SALE,
    WEEK,
    Document,
    bonus,
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
