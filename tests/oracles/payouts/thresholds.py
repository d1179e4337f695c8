"""One-time bonuses for reaching a view count (money.md M9)."""

from collections.abc import Iterator
from fractions import Fraction

from tests.oracles.goals import Reading
from tests.oracles.payouts.amounts import Earned
from tests.oracles.payouts.days import Period
from tests.oracles.payouts.facts import Row
from tests.oracles.payouts.payee import Payee
from tests.oracles.payouts.views import Views, videos_of


def earned(payee: Payee) -> Iterator[Earned]:
    view_counts = {
        threshold["view_count"]
        for version in payee.versions
        for threshold in version["criteria_params"]["thresholds"]
    }
    for views in videos_of(payee):
        for view_count in sorted(view_counts):
            passed = reached(payee, views, view_count)
            if passed is not None:
                yield passed


def reached(payee: Payee, views: Views, view_count: int) -> Earned | None:
    reading = next(
        (candidate for candidate in views.readings if candidate.count >= view_count), None
    )
    if reading is None:
        return None
    period = payee.calendar.period_of(payee.calendar.day_of(reading.at))
    version = payee.version_of(period)
    amounts = {row["view_count"]: row["amount_cents"] for row in thresholds_of(version)}
    accrual_id = payee.accrual_id(period, views.video["id"], view_count)
    cents = amounts.get(view_count, 0)
    if (
        cents == 0
        or not payee.counts_on(period.first)
        or not is_owned(payee, views, version, reading)
        or is_reached_before(payee, views, period, reading)
        or not payee.facts.counts(views.video, accrual_id)
    ):
        return None
    return Earned(
        period=period,
        version=version,
        accrual_id=accrual_id,
        amount_cents=cents,
        precise_amount=Fraction(cents),
        limited_by=[],
        subject_id=views.video["id"],
        view_count=view_count,
        post_count=1,
        evidence={"views_read": reading.count},
    )


def thresholds_of(version: Row) -> list[Row]:
    thresholds: list[Row] = version["criteria_params"]["thresholds"]
    return thresholds


def is_owned(payee: Payee, views: Views, version: Row, reading: Reading) -> bool:
    """Whether the reading belongs to the creator, on an account in scope (M14)."""
    return any(
        begin <= reading.at < end and payee.is_in_scope(version, views.video["platform"], account)
        for account, begin, end in views.owned
    )


def is_reached_before(payee: Payee, views: Views, period: Period, reading: Reading) -> bool:
    """Whether an older post had the views at its first reading: only backfill pays them."""
    if payee.is_backfilled or reading != views.readings[0]:
        return False
    (interval,) = payee.intervals(period)
    return not views.is_posted_since(interval)
