"""What each accrual comes to now, frozen or not: the rows of payout_earnings (money.md M16)."""

from collections.abc import Callable, Iterator

from tests.oracles.payouts import conversions, cpm, goals, recurring, thresholds
from tests.oracles.payouts.amounts import Earned
from tests.oracles.payouts.facts import Facts, Row
from tests.oracles.payouts.payee import Payee, payees
from tests.oracles.payouts.rounding import as_decimal

TYPES: dict[str, Callable[[Payee], Iterator[Earned]]] = {
    "recurring": recurring.earned,
    "goals": goals.earned,
    "cpm": cpm.earned,
    "view_threshold": thresholds.earned,
    "conversion": conversions.earned,
}


def owed(facts: Facts) -> list[Row]:
    """Every accrual of every structure, with its evidence as the rule left it."""
    return [row(payee, one) for payee in payees(facts) for one in TYPES[payee.type](payee)]


def row(payee: Payee, one: Earned) -> Row:
    return {
        "accrual_id": one.accrual_id,
        "organization_id": payee.structure["organization_id"],
        "project_id": payee.structure["project_id"],
        "structure_id": payee.structure["id"],
        "version_id": one.version["id"],
        "version_number": one.version["number"],
        "creator_id": payee.creator,
        "criteria_type": payee.type,
        "period_start": one.period.first,
        "period_end": one.period.last,
        "ends_at": one.period.ends_at,
        "subject_id": one.subject_id,
        "view_count": one.view_count,
        "currency": "USD",
        "amount_cents": one.amount_cents,
        "precise_amount": as_decimal(one.precise_amount),
        "limited_by": one.limited_by[0] if one.limited_by else None,
        "timezone": payee.timezone,
        "evidence": {**one.evidence, "limited_by": one.limited_by},
    }
