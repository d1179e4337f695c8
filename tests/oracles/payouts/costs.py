"""Costs of accruals by day and video: rows of payout_costs, computed from the other marts."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

from tests.oracles.payouts.facts import by, grouped
from tests.oracles.payouts.rounding import half_up

Row = dict[str, Any]
Item = tuple[UUID | None, UUID | None]
"""A video and an account."""
Part = tuple[UUID, date, Item, int]
"""A weight by accrual, day and item."""

Key = TypeVar("Key")
SPREAD = ("recurring", "goals")


class Shown:
    """Rows of other marts, versions and organizations, indexed."""

    def __init__(self, marts: Mapping[str, Sequence[Row]], as_of: datetime) -> None:
        self.earnings = marts["payout_earnings"]
        self.accruals = marts["payout_accruals"]
        self.videos = by(marts["videos"], "video_id")
        self.accounts = by(marts["accounts"], "account_id")
        self.versions = by(marts["payout_versions"], "id")
        self.conversions = by(marts["conversions"], "conversion_id")
        self.covered = grouped(marts["payout_covered_days"], "payee_id")
        self.days_of = grouped(marts["video_daily"], "video_id")
        self.on_day = grouped(marts["video_daily"], "day")
        self.todays = {
            row["id"]: as_of.astimezone(ZoneInfo(row["analytics_tz"])).date()
            for row in marts["organizations"]
        }


def costs(rows: Mapping[str, Sequence[Row]], as_of: datetime) -> list[Row]:
    """Return the parts of all accruals, each in whole cents."""
    marts = Shown(rows, as_of)
    weights: dict[UUID, dict[date, dict[Item, int]]] = {}
    for weigh in (of_views, of_thresholds, of_conversions, of_days):
        for accrual, day, item, weight in weigh(marts):
            of_day = weights.setdefault(accrual, {}).setdefault(day, {})
            of_day[item] = of_day.get(item, 0) + weight
    owed = [r for r in marts.accruals if r["status"] != "void" and r["amount_cents"]]
    return [row for accrual in owed for row in parts_of(accrual, weights, marts)]


def parts_of(
    accrual: Row, weights: Mapping[UUID, Mapping[date, Mapping[Item, int]]], marts: Shown
) -> Iterator[Row]:
    earned = accrual["adjusts_accrual_id"] or accrual["accrual_id"]
    is_threshold = accrual["criteria_type"] == "view_threshold"
    nobody: Item = (accrual["subject_id"] if is_threshold else None, None)
    days = weights.get(earned, {accrual["period_start"]: {nobody: 1}})
    is_spread = accrual["criteria_type"] in SPREAD
    of_days = {day: 1 if is_spread else sum(items.values()) for day, items in days.items()}
    for day, cents in split(accrual["amount_cents"], of_days, key=lambda day: day):
        for item, part in split(cents, days[day], key=ids_last):
            paid = accrual["criteria_type"] == "cpm" and accrual["kind"] == "earning"
            views = days[day][item] if paid and earned in weights else None
            yield {
                "accrual_id": accrual["accrual_id"],
                "day": day,
                **placed(item, marts),
                "is_planned": day > marts.todays[accrual["organization_id"]],
                "paid_views": views,
                "amount_cents": part,
            }


def split(
    cents: int, weights: Mapping[Key, int], key: Callable[[Key], Any]
) -> Iterator[tuple[Key, int]]:
    """Split cents by weights: each item gets the increase of the rounded running total."""
    whole, so_far, assigned = sum(weights.values()), 0, 0
    for item in sorted(weights, key=key):
        so_far += weights[item]
        total = half_up(Fraction(abs(cents) * so_far, whole)) * (1 if cents > 0 else -1)
        yield item, total - assigned
        assigned = total


def ids_last(item: Item) -> tuple[tuple[bool, int], ...]:
    return tuple((part_id is None, part_id.int if part_id else 0) for part_id in item)


def placed(item: Item, marts: Shown) -> Row:
    video, account = marts.videos.get(item[0], {}), marts.accounts.get(item[1], {})
    return {
        "video_id": item[0],
        "account_id": video.get("account_id") or item[1],
        "platform": video.get("platform") or account.get("platform"),
    }


def of_views(marts: Shown) -> Iterator[Part]:
    """Yield cpm weights by views; carried views wait for the next period that carries none."""
    payees: dict[UUID, list[Row]] = defaultdict(list)
    for row in marts.earnings:
        if row["criteria_type"] == "cpm":
            payees[row["payee_id"]].append(row)
    for periods in payees.values():
        waiting: list[tuple[date, Item, int]] = []
        for period in sorted(periods, key=lambda row: row["period_start"]):
            evidence = json.loads(period["evidence"])
            for rise in evidence["videos"]:
                waiting += days_of(rise, period, marts)
            if not evidence["carry_out"]:
                yield from ((period["accrual_id"], *part) for part in waiting)
                waiting = []


def days_of(rise: Row, period: Row, marts: Shown) -> Iterator[tuple[date, Item, int]]:
    """Yield the rise from views_from to views_to by daily counts; the last day takes the rest."""
    item = UUID(rise["video_id"]), rise["account_id"] and UUID(rise["account_id"])
    days = sorted(
        (row["day"], row["cumulative_views"])
        for row in marts.days_of.get(item[0], ())
        if period["period_start"] <= row["day"] <= period["period_end"]
        and row["cumulative_views"] is not None
    ) or [(min(period["period_end"], marts.todays[period["organization_id"]]), 0)]
    high = rise["views_from"]
    for day, count in days:
        is_last = day == days[-1][0]
        reached = rise["views_to"] if is_last else min(max(high, count), rise["views_to"])
        if reached > high:
            yield day, item, reached - high
        high = reached


def of_thresholds(marts: Shown) -> Iterator[Part]:
    for row in marts.earnings:
        if row["criteria_type"] == "view_threshold":
            yield row["accrual_id"], row["period_start"], (row["subject_id"], None), 1


def of_conversions(marts: Shown) -> Iterator[Part]:
    for row in marts.earnings:
        if row["criteria_type"] != "conversion":
            continue
        evidence = json.loads(row["evidence"])
        rates = {UUID(rate["conversion_event_id"]): rate for rate in evidence["rates"]}
        for listed in evidence["conversions"]:
            conversion = marts.conversions[UUID(listed["conversion_id"])]
            rate = rates[conversion["conversion_event_id"]]
            flat = rate.get("amount_cents", 0) * conversion["quantity"] * 10_000
            weight = flat + rate.get("percent_bps", 0) * conversion["total_value_cents"]
            if weight:
                yield (
                    row["accrual_id"],
                    conversion["day"],
                    (conversion["video_id"], conversion["account_id"]),
                    weight,
                )


def of_days(marts: Shown) -> Iterator[Part]:
    """Yield fee and goal weights: each covered day, with the posts in scope that gained views."""
    for row in marts.earnings:
        for day in covered(row, marts) if row["criteria_type"] in SPREAD else ():
            seen = {
                (video["video_id"], video["account_id"]): gained["new_views"]
                for gained in marts.on_day.get(day, ())
                if (video := marts.videos[gained["video_id"]])["is_counted"]
                and (gained["new_views"] or 0) > 0
                and video["creator_id"] == row["creator_id"]
                and is_in_scope(video, marts.versions[row["version_id"]])
            }
            for item, weight in (seen or {(None, None): 1}).items():
                yield row["accrual_id"], day, item, weight


def covered(row: Row, marts: Shown) -> Iterator[date]:
    intervals = marts.covered.get(row["payee_id"], ())
    day = row["period_start"]
    while day <= row["period_end"]:
        if any(s["from_day"] <= day <= (s["to_day"] or date.max) for s in intervals):
            yield day
        day += timedelta(days=1)


def is_in_scope(video: Row, version: Row) -> bool:
    platform, account = version["platform"], version["account_id"]
    return (not platform or video["platform"] == platform) and (
        not account or video["account_id"] == account
    )
