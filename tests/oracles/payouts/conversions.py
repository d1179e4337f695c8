"""Pay for recorded conversions (money.md M12)."""

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction

from tests.oracles.payouts.amounts import Earned, limits, rounded
from tests.oracles.payouts.days import Period
from tests.oracles.payouts.facts import Row
from tests.oracles.payouts.payee import Payee


def earned(payee: Payee) -> Iterator[Earned]:
    if payee.has_periods:
        yield from by_period(payee)
    else:
        yield from one_by_one(payee)


def one_by_one(payee: Payee) -> Iterator[Earned]:
    for period, conversion, value in valued(payee):
        cents, exact = rounded(value)
        if cents > 0:
            yield Earned(
                period=period,
                version=payee.version_of(period),
                accrual_id=payee.accrual_id(period, conversion["id"]),
                amount_cents=cents,
                precise_amount=exact,
                limited_by=[],
                subject_id=conversion["id"],
                evidence={"conversions": {str(conversion["id"])}},
            )


def by_period(payee: Payee) -> Iterator[Earned]:
    sums: dict[Period, list[tuple[Row, Fraction]]] = defaultdict(list)
    for period, conversion, value in valued(payee):
        sums[period].append((conversion, value))
    for period, values in sums.items():
        cents, exact = rounded(sum((value for _, value in values), Fraction(0)))
        if cents > 0:
            yield Earned(
                period=period,
                version=payee.version_of(period),
                accrual_id=payee.accrual_id(period),
                amount_cents=cents,
                precise_amount=exact,
                limited_by=limits(paused=payee.is_cut_by_a_pause(period)),
                evidence={"conversions": {str(conversion["id"]) for conversion, _ in values}},
            )


def valued(payee: Payee) -> Iterator[tuple[Period, Row, Fraction]]:
    """Yield each conversion with a rate: its period, its version and its exact cents."""
    for conversion in payee.facts.conversions[payee.creator]:
        if not is_counted(payee, conversion):
            continue
        period = payee.calendar.period_of(payee.calendar.day_of(conversion["occurred_at"]))
        version = payee.version_of(period)
        account = payee.facts.accounts.get(conversion["account_id"])
        platform = account["platform"] if account else None
        rate = rate_of(version, conversion)
        if rate and payee.is_in_scope(version, platform, conversion["account_id"]):
            yield period, conversion, value_at(rate, conversion)


def is_counted(payee: Payee, conversion: Row) -> bool:
    return (
        conversion["voided_at"] is None
        and conversion["occurred_at"] <= payee.facts.as_of
        and conversion["project_id"] == payee.structure["project_id"]
        and payee.facts.is_switched_on(conversion)
        and payee.counts_on(payee.calendar.day_of(conversion["occurred_at"]))
    )


def rate_of(version: Row, conversion: Row) -> Row | None:
    rates: list[Row] = version["criteria_params"]["rates"]
    event = str(conversion["conversion_event_id"])
    return next((rate for rate in rates if rate["conversion_event_id"] == event), None)


def value_at(rate: Row, conversion: Row) -> Fraction:
    if rate["rate_type"] == "flat":
        return Fraction(rate["amount_cents"] * conversion["quantity"])
    return Fraction(conversion["total_value_cents"] * rate["percent_bps"], 10_000)
