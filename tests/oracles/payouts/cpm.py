"""Pay per thousand views (money.md M8)."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from uuid import UUID

from tests.oracles.payouts.amounts import Earned, limits
from tests.oracles.payouts.days import Period
from tests.oracles.payouts.facts import Row
from tests.oracles.payouts.payee import Payee
from tests.oracles.payouts.rounding import LARGEST, as_fraction, half_up
from tests.oracles.payouts.views import Views, videos_of


def earned(payee: Payee) -> Iterator[Earned]:
    """Yield amounts in order, because views are carried over and cents follow the running total."""
    videos = videos_of(payee)
    carried: Counter[UUID] = Counter()
    total = Fraction(0)
    for period in payee.begun_periods():
        if not has_begun(payee, period):
            continue
        version = payee.version_of(period)
        rule = version["criteria_params"]
        gains = {views.video["id"]: gained(payee, views, period, version) for views in videos}
        here = counted(payee, videos, period)
        impressions = sum(gains[video][0] for video in here)
        is_past_life = any(in_all > within for within, in_all in (gains[video] for video in here))
        carry_in = sum(carried[video] for video in here)
        payable = impressions + carry_in
        is_too_few = payable < rule["min_impressions"]
        lines = tier_lines(0 if is_too_few else payable, rule["tiers"])
        before_cap = sum((cents for _, cents in lines), Fraction(0))
        cap = rule["max_payout_cents"]
        capped = before_cap if cap is None else min(before_cap, Fraction(cap))
        amount = min(capped, Fraction(LARGEST))
        cents = half_up(total + amount) - half_up(total)
        if impressions or carry_in:
            yield Earned(
                period=period,
                version=version,
                accrual_id=payee.accrual_id(period),
                amount_cents=cents,
                precise_amount=amount,
                post_count=None if carry_in else sum(gains[video][1] > 0 for video in here),
                limited_by=limits(
                    max_payout=capped < before_cap,
                    min_impressions=is_too_few and payable > 0,
                    paused=payee.paused_days(period) > 0,
                    view_lifetime=is_past_life,
                ),
                evidence={
                    "impressions": impressions,
                    "carry_in": carry_in,
                    "payable": payable,
                    "carry_out": payable if is_too_few else 0,
                    "before_cap_cents": before_cap,
                    "precise_cents": amount,
                    "running_total_before_cents": total,
                    "running_total_cents": total + amount,
                    "tiers": [part for part, _ in lines],
                },
            )
        carried.update({video: within for video, (within, _) in gains.items()})
        if not is_too_few:
            carried.clear()
        total += amount


def has_begun(payee: Payee, period: Period) -> bool:
    first = payee.intervals(period)[0].first
    return payee.calendar.start_of(first) <= payee.facts.as_of


def counted(payee: Payee, videos: list[Views], period: Period) -> set[UUID]:
    """Return the videos that count in a period and for views carried into it (M13)."""
    accrual = payee.accrual_id(period)
    return {views.video["id"] for views in videos if payee.facts.counts(views.video, accrual)}


def gained(payee: Payee, views: Views, period: Period, version: Row) -> tuple[int, int]:
    """Return impressions of one video, and those without the end of its lifetime."""
    lifetime = views.lifetime_ends_at(version)
    intervals = payee.intervals(period)
    within = sum(views.gained(interval, version, lifetime) for interval in intervals)
    return within, sum(views.gained(interval, version, None) for interval in intervals)


def tier_lines(payable: int, tiers: list[Row]) -> list[tuple[int, Fraction]]:
    """Return the views in each tier and their cents: graduated, bounds inclusive."""
    lines, below = [], 0
    for tier in tiers:
        bound = tier["up_to_impressions"]
        upper = payable if bound is None else min(payable, bound)
        part = max(upper - below, 0)
        lines.append((part, part * as_fraction(tier["cents_per_thousand"]) / 1000))
        below = max(upper, below)
    return lines
