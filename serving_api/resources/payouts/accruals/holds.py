"""Holds: accruals that wait for review because of anomalies, or because a member says so.

The publication lists anomalies, PostgreSQL the manual holds and the releases of both. Amounts and
statuses do not change: a held accrual can be neither approved nor paid.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from uuid import UUID

from serving_api.errors import AccrualHeld, AccrualPaid, Conflict
from serving_api.resources.payouts.accruals import schemas
from serving_api.resources.payouts.accruals.current import Accruals
from serving_api.resources.payouts.accruals.hold_records import HoldChange, manual_holds, releases
from serving_api.resources.payouts.accruals.repository import in_payments
from serving_api.resources.payouts.accruals.summary import plural
from warehouse.reading.accruals.accrual import Accrual
from warehouse.reading.accruals.holds import OddReading, hold_ids, odd_readings

MOST_LISTED = 20
"""How many of its anomalies an accrual lists."""
MOST_NAMED = 3
"""How many of them its reason has."""

Cause = OddReading | HoldChange
Odd = Mapping[UUID, Sequence[Cause]]


def odd_behind(accruals: Accruals, accruals_of_page: Iterable[Accrual]) -> Odd:
    """Return the unreleased anomalies and manual holds by accrual, for held accruals only.

    Accruals that pay nothing, are void or are in a payment are not held (money.md M18).
    """
    subjects = {
        accrual.accrual_id: subject_of(accrual)
        for accrual in accruals_of_page
        if _may_wait(accrual)
    }
    odd = _causes(accruals, set(subjects.values()))
    return {accrual_id: odd[subject] for accrual_id, subject in subjects.items() if subject in odd}


def odd_behind_frozen(accruals: Accruals) -> Sequence[tuple[Accrual, Sequence[OddReading]]]:
    """Return accruals in payments with unreleased anomalies.

    Anomalies known before the payment had to be released first, so these were found afterwards.
    """
    subjects = subjects_on_hold(accruals)
    paid = in_payments(accruals.session, accruals.organization_id, subjects)
    odd = _unreleased(accruals, set(paid))
    known = accruals.find(odd)
    return [
        (known[accrual_id].accrual, readings)
        for accrual_id, readings in odd.items()
        if accrual_id in known and _is_frozen(known[accrual_id].accrual)
    ]


def odd_behind_any(accruals: Accruals, accrual: Accrual) -> Sequence[Cause]:
    """Return what a release would cover; for a paid accrual only anomalies."""
    if _is_frozen(accrual):
        subject = subject_of(accrual)
        return _unreleased(accruals, {subject}).get(subject, [])
    return odd_behind(accruals, [accrual]).get(accrual.accrual_id, [])


def require_holdable(accruals: Accruals, accrual: Accrual) -> None:
    """Raise AccrualPaid in a payment, and Conflict if nothing can wait or a member holds it."""
    if accrual.payment_id is not None:
        raise AccrualPaid([accrual.accrual_id])
    if not _may_wait(accrual):
        raise Conflict("Only unpaid amounts above zero can be put on hold")
    for hold in manual_holds(accruals.session, accruals.organization_id, {subject_of(accrual)}):
        raise Conflict(f"{hold.member or 'A member'} has already put this amount on hold")


def require_unheld(accruals: Accruals, paid: Iterable[Accrual]) -> None:
    if odd := odd_behind(accruals, paid):
        raise AccrualHeld(odd)


def subjects_on_hold(accruals: Accruals) -> Collection[UUID]:
    """Return the organization's accruals with anything unreleased, paid or not."""
    return accruals.once("subjects on hold", lambda: _subjects_on_hold(accruals))


def _subjects_on_hold(accruals: Accruals) -> Collection[UUID]:
    session, organization_id = accruals.session, accruals.organization_id
    published = accruals.numbers.cached(hold_ids, organization_id, len)
    ids = published[0] if published else ()
    released = releases(session, organization_id, {accrual_id for accrual_id, _ in ids})
    by_hand = manual_holds(session, organization_id, None)
    return {each[0] for each in ids if each not in released} | {hold.accrual_id for hold in by_hand}


def subject_of(accrual: Accrual) -> UUID:
    """Return the accrual that a release is stored for: the corrected one for an adjustment."""
    return accrual.adjusts_accrual_id or accrual.accrual_id


def hold_of(causes: Sequence[Cause]) -> schemas.Hold:
    holds = [cause for cause in causes if isinstance(cause, HoldChange)]
    readings = [cause for cause in causes if isinstance(cause, OddReading)]
    reasons = [
        f"{hold.member or 'A member'} put it on hold: {hold.reason.rstrip('. ')}" for hold in holds
    ]
    if readings:
        posts = len({reading.video_id for reading in readings})
        named = [reading.sentence for reading in readings[:MOST_NAMED]]
        if others := len(readings) - len(named):
            named.append(f"and {plural(others, 'more reading')}")
        reasons.append(f"Review the readings of {plural(posts, 'post')}: {'; '.join(named)}")
    return schemas.Hold(
        reason=". ".join(reasons),
        since_at=min([hold.at for hold in holds] + [odd.captured_at for odd in readings]),
        readings_total=len(readings),
        readings=[schemas.OddReading.model_validate(reading) for reading in readings[:MOST_LISTED]],
    )


def version_of(hold: schemas.Hold) -> UUID:
    """Return a digest of a hold, by which a form releases only the hold that its page showed."""
    return UUID(sha256(hold.model_dump_json().encode()).hexdigest()[:32])


def _may_wait(accrual: Accrual) -> bool:
    return accrual.payment_id is None and accrual.status != "void" and accrual.amount_cents > 0


def _is_frozen(accrual: Accrual) -> bool:
    return accrual.payment_id is not None and accrual.amount_cents > 0


def _causes(accruals: Accruals, subjects: Collection[UUID]) -> Odd:
    """Return unreleased manual holds, then anomalies, of some accruals."""
    causes: dict[UUID, list[Cause]] = {}
    for hold in manual_holds(accruals.session, accruals.organization_id, subjects):
        causes.setdefault(hold.accrual_id, []).append(hold)
    for subject, readings in _unreleased(accruals, subjects).items():
        causes.setdefault(subject, []).extend(readings)
    return causes


def _unreleased(
    accruals: Accruals, subjects: Collection[UUID]
) -> Mapping[UUID, Sequence[OddReading]]:
    if accruals.cursor is None:
        return {}
    odd = odd_readings(accruals.cursor, accruals.organization_id, subjects)
    if not odd:
        return {}
    released = releases(accruals.session, accruals.organization_id, list(odd))
    left = {
        subject: [reading for reading in readings if (subject, reading.anomaly_id) not in released]
        for subject, readings in odd.items()
    }
    return {subject: readings for subject, readings in left.items() if readings}
