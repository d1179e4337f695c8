"""Statements with our signature, valid unless an argument differs, in New York."""

from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import Any, cast

from serving_api.resources.payouts.accruals.summary import summary_of
from tests.serving_api.resources.payouts.resigning import put, verifier
from warehouse.reading.accruals.accrual import Accrual

Document = dict[str, Any]
VERSION, EARLIER = "version-2", "version-1"
WEEK = ("2026-05-18", "2026-05-24")
MAY = ("2026-05-01", "2026-05-31")
DAY = ("2026-05-20", "2026-05-20")
MORNING, NOON, EVENING = (f"2026-05-20T{hour}:00:00.000000Z" for hour in ("08", "12", "20"))
SALE = ("sale-1", NOON)
RISE = ("post-1", 0, 1_000, NOON)
WHOLE_WEEK = [{"from": "2026-05-18", "to": "2026-05-24"}]


def statement(
    rule: Document, evidence: Document, cents: int, days: tuple[str, str], **accrual: Any
) -> Document:
    """A statement of an organization in New York, whose week begins at four in UTC."""
    period = {"period_start": days[0], "period_end": days[1], "timezone": "America/New_York"}
    amount = {"amount_cents": cents, "precise_amount": str(cents), "currency": "USD"}
    limits = evidence.get("limited_by") or [None]
    accrual_facts = {
        "id": "accrual-1",
        "kind": "earning",
        "version_id": VERSION,
        "version_number": 2,
        "criteria_type": rule["criteria_type"],
        "structure_name": "Fee",
        "creator_id": "creator-1",
        "status": "final",
        "limited_by": limits[0],
        "subject_id": None,
        "view_count": None,
        "post_count": None,
        "adjusts_accrual_id": None,
        "booked_in": None,
        "computed_at": "2026-06-15T12:00:00Z",
    }
    return {
        "format": verifier.FORMAT,
        "issuer": "https://tracker.example",
        "issued_at": "2026-06-20T12:00:00Z",
        "accrual": {**period, **amount, **accrual_facts, **accrual},
        "rule": {"id": VERSION, "version_number": 2, "currency": "USD", **rule}
        | {"period_anchor": rule.get("period_anchor")},
        "evidence": evidence,
        "summary": sentence_of(cents, days[1], evidence),
    }


def sentence_of(cents: int, last_day: str, evidence: Document) -> str:
    """The service's sentence for an amount."""
    amount = cast(Accrual, SimpleNamespace(amount_cents=cents, period_end=last_day))
    return summary_of(amount, evidence)


def changed(document: Document, *changes: tuple[str, Any]) -> Document:
    """A statement with other values at dotted paths such as "accrual.currency"."""
    for path, value in changes:
        names = [int(name) if name.isdigit() else name for name in path.split(".")]
        document = put(document, tuple(names), value)
    return document


def with_sentence(document: Document) -> Document:
    """A statement with the sentence of its evidence."""
    accrual = document["accrual"]
    facts = (accrual["amount_cents"], accrual["period_end"], document["evidence"])
    return {**document, "summary": sentence_of(*facts)}


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
    counted = {"days": days, "covered_days": covered, "paused_days": paused, "limited_by": []}
    rule = {"criteria_type": "recurring", "criteria_params": {}, "period": every, **terms}
    return statement(rule, {"type": "recurring", **terms, **counted}, cents, period)


def views(
    *rises: tuple[str, int, int, str],
    covered: Iterable[Mapping[str, str]] = WHOLE_WEEK,
    lifetime_ends_at: str | None = None,
    of_account: str | None = None,
    lifetime_days: int | None = None,
    read_from: str | None = None,
    **accrual: Any,
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
            "from_reading": read_from and {"captured_at": read_from},
            "to_reading": {"captured_at": at, "source": "web", "is_exact": True},
        }
        for post, views_from, views_to, at in rises
    ]
    gained = sum(video["views"] for video in videos)
    cents = gained // 10
    tier = {"up_to_impressions": None, "cents_per_thousand": "100"}
    terms: Document = {"min_impressions": 0, "max_payout_cents": None}
    terms["view_lifetime_days"] = lifetime_days or (30 if lifetime_ends_at else None)
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
        "limited_by": [],
        "videos": videos,
    }
    params = {"tiers": [tier], **terms}
    rule = {"criteria_type": "cpm", "criteria_params": params, "period": "weekly", **scope}
    posts = len({post for post, *_ in rises})
    return statement(rule, evidence, cents, WEEK, **{"post_count": posts, **accrual})


def bonus(reached_at: str, read_at: str, **accrual: Any) -> Document:
    threshold = {"view_count": 1_000, "amount_cents": 5_000}
    read = {"reached_at": reached_at, "views_read": 1_200, "reading": {"captured_at": read_at}}
    post = {"video_id": "post-1", "account_id": "account-1", "limited_by": []}
    evidence = {"type": "view_threshold", **post, **threshold, **read}
    rule = {"criteria_params": {"thresholds": [threshold]}, "period": None}
    subject = {"subject_id": "post-1", "view_count": 1_000, "post_count": 1}
    facts = {**subject, **accrual}
    return statement({"criteria_type": "view_threshold", **rule}, evidence, 5_000, DAY, **facts)


def goals(*ids: str, actual: int = 60, agreed_pct: str = "50") -> Document:
    """Half of a hundred dollars, times the completion of goals of 100 posts."""
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
        "limited_by": ["goals_not_met"],
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
    """A hundred dollars for a goal that was exactly met, with its counts."""
    days = {"days": 7, "covered_days": 7, "paused_days": 0}
    terms = {"amount_cents": 10_000, "proration_mode": "full"}
    params = {"mode": "any", "n": None, "partial_allowed": False, "partial_multiplier": "1"}
    params["min_completion_pct"] = "0"
    goal = {"goal_id": "goal-1", "metric": metric, "platform": None, "account_id": of_account}
    met = {"target": actual, "actual": actual, "fraction": "1", "is_met": True}
    listed = {"goals": [{**goal, **met, "counts_from": begins}], "counts": list(counts)}
    paid = {"met": 1, "completion_pct": None, "fraction_paid": "1", "limited_by": []}
    evidence = {"type": "goals", **days, **terms, **params, **paid, **listed}
    rule = {"criteria_params": params, "period": "weekly", "account_id": agreed_account}
    return statement({"criteria_type": "goals", **terms, **rule}, evidence, 10_000, WEEK)


def count(
    counter: str = "views", begins: int | None = 100, ends: int | None = 400, **of: Any
) -> Any:
    """The count of a TikTok account's post by noon of the 20th; it was posted that Monday."""
    post = {"video_id": "post-1", "account_id": "account-1", "platform": "tiktok"}
    posted = {"posted_at": "2026-05-18T12:00:00.000000Z", "is_first": False}
    read = {"from_reading": None, "to_reading": {"captured_at": NOON}}
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
    """Fifty cents each; the evidence has the event of each, or `event_ids`."""
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
        "limited_by": [],
    }
    rule = {"criteria_params": {"rates": [rate]}, "period": every, "period_anchor": begins_on}
    subject = made[0][0] if every is None else None
    rule = {"criteria_type": "conversion", **rule}
    return statement(rule, evidence, cents, days, subject_id=subject)


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
    """An adjustment between two of our statements; the owed one may have a later version."""
    before = None if frozen is None else side(frozen)
    if before and owed:
        before["version_id"] = EARLIER
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
    corrected = {"kind": kind, "adjusts_accrual_id": "accrual-0", "booked_in": "2026-06-01"}
    return statement((owed or frozen or fee())["rule"], evidence, cents, days, **corrected)


def side(earning: Document) -> Document:
    names = ("amount_cents", "version_id", "timezone", "period_start", "period_end")
    facts = {name: earning["accrual"][name] for name in names}
    return {**facts, "evidence": earning["evidence"]}
