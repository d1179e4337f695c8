"""Holds: accruals that wait for review because of anomalies that no member released.

The publication lists anomalies, PostgreSQL the releases. Amounts and statuses do not change: a
held accrual can be neither approved nor paid.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from uuid import UUID

from serving_api.errors import AccrualHeld
from serving_api.resources.payouts.accruals import repository, schemas
from serving_api.resources.payouts.accruals.current import Accruals
from serving_api.resources.payouts.accruals.summary import plural
from warehouse.reading.accruals.accrual import Accrual
from warehouse.reading.accruals.holds import OddReading, odd_readings

MOST_LISTED = 20
"""How many of its anomalies an accrual lists."""

ON_HOLD = "on hold"
"""The status of a held accrual for people."""

Odd = Mapping[UUID, Sequence[OddReading]]


def odd_behind(accruals: Accruals, accruals_of_page: Iterable[Accrual]) -> Odd:
    """Return the unreleased anomalies by accrual, for held accruals only.

    Accruals that pay nothing, are void or are in a payment are not held (money.md M18).
    """
    subjects = {
        accrual.accrual_id: subject_of(accrual)
        for accrual in accruals_of_page
        if _may_wait(accrual)
    }
    odd = _unreleased(accruals, set(subjects.values()))
    return {accrual_id: odd[subject] for accrual_id, subject in subjects.items() if subject in odd}


def odd_behind_frozen(accruals: Accruals) -> Sequence[tuple[Accrual, Sequence[OddReading]]]:
    """Return accruals in payments with unreleased anomalies.

    Anomalies known before the payment had to be released first, so these were found afterwards.
    """
    odd = _unreleased(accruals, None)
    known = accruals.find(odd)
    return [
        (known[accrual_id].accrual, readings)
        for accrual_id, readings in odd.items()
        if accrual_id in known and _is_frozen(known[accrual_id].accrual)
    ]


def odd_behind_any(accruals: Accruals, accrual: Accrual) -> Sequence[OddReading]:
    """Return the anomalies that a release would cover, for a held or paid accrual."""
    if not (_may_wait(accrual) or _is_frozen(accrual)):
        return []
    subject = subject_of(accrual)
    return _unreleased(accruals, {subject}).get(subject, [])


def require_unheld(accruals: Accruals, paid: Iterable[Accrual]) -> None:
    if odd := odd_behind(accruals, paid):
        raise AccrualHeld(odd)


def subjects_on_hold(accruals: Accruals) -> Sequence[UUID]:
    """Return the organization's accruals with unreleased anomalies, paid or not."""
    return list(_unreleased(accruals, None))


def subject_of(accrual: Accrual) -> UUID:
    """Return the accrual that a release is stored for: the corrected one for an adjustment."""
    return accrual.adjusts_accrual_id or accrual.accrual_id


def hold_of(readings: Sequence[OddReading]) -> schemas.Hold:
    posts = len({reading.video_id for reading in readings})
    first, others = readings[0], len(readings) - 1
    more = f"; and {plural(others, 'more reading')}" if others else ""
    return schemas.Hold(
        reason=f"Review the readings of {plural(posts, 'post')}: {first.sentence}{more}",
        since_at=first.captured_at,
        readings_total=len(readings),
        readings=[schemas.OddReading.model_validate(reading) for reading in readings[:MOST_LISTED]],
    )


def _may_wait(accrual: Accrual) -> bool:
    return accrual.payment_id is None and accrual.status != "void" and accrual.amount_cents > 0


def _is_frozen(accrual: Accrual) -> bool:
    return accrual.payment_id is not None and accrual.amount_cents > 0


def _unreleased(accruals: Accruals, subjects: Collection[UUID] | None) -> Odd:
    if accruals.cursor is None:
        return {}
    odd = odd_readings(accruals.cursor, accruals.organization_id, subjects)
    if not odd:
        return {}
    released = repository.releases(accruals.session, accruals.organization_id, list(odd))
    left = {
        subject: [reading for reading in readings if (subject, reading.anomaly_id) not in released]
        for subject, readings in odd.items()
    }
    return {subject: readings for subject, readings in left.items() if readings}
