"""Current amounts of accruals, frozen or not: rows of payout_earnings (money.md M16)."""

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
    """Return every accrual of every structure with its evidence."""
    return [row(payee, amount) for payee in payees(facts) for amount in TYPES[payee.type](payee)]


def row(payee: Payee, amount: Earned) -> Row:
    return {
        "accrual_id": amount.accrual_id,
        "organization_id": payee.structure["organization_id"],
        "project_id": payee.structure["project_id"],
        "structure_id": payee.structure["id"],
        "version_id": amount.version["id"],
        "version_number": amount.version["number"],
        "creator_id": payee.creator,
        "criteria_type": payee.type,
        "period_start": amount.period.first,
        "period_end": amount.period.last,
        "ends_at": amount.period.ends_at,
        "subject_id": amount.subject_id,
        "view_count": amount.view_count,
        "post_count": amount.post_count,
        "currency": "USD",
        "amount_cents": amount.amount_cents,
        "precise_amount": as_decimal(amount.precise_amount),
        "limited_by": amount.limited_by[0] if amount.limited_by else None,
        "timezone": payee.timezone,
        "evidence": {**amount.evidence, "limited_by": amount.limited_by},
    }
