"""A fixed amount for each period (money.md M10)."""

from collections.abc import Iterator

from tests.oracles.payouts.amounts import Earned, limits, prorated, proration_limits, rounded
from tests.oracles.payouts.payee import Payee


def earned(payee: Payee) -> Iterator[Earned]:
    for period in payee.begun_periods():
        version = payee.version_of(period)
        cents, exact = rounded(version["amount_cents"] * prorated(payee, period, version))
        if cents > 0:
            yield Earned(
                period=period,
                version=version,
                accrual_id=payee.accrual_id(period),
                amount_cents=cents,
                precise_amount=exact,
                limited_by=limits(**proration_limits(payee, period, version)),
                evidence={
                    "days": len(period.days()),
                    "covered_days": payee.covered_days(period),
                    "paused_days": payee.paused_days(period),
                },
            )
