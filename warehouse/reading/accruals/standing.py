"""How one accrual stands: rules M17 and M18 of money.md.

The models have the same rules in SQL; this is for what was decided since they ran.
"""

from uuid import UUID

from warehouse.reading.accruals.accrual import CONTENT, Accrual, AccrualStatus, Content
from warehouse.reading.accruals.facts import Facts, Frozen, Moment


def itself(facts: Facts, moment: Moment) -> Accrual | None:
    """Return the subject's own accrual, None where nothing is owed and nothing frozen."""
    frozen = facts.frozen.get(facts.accrual_id)
    if frozen is not None:
        return as_frozen(frozen, facts)
    if facts.owed is None:
        return None
    by_time = _by_time(facts.owed, moment)
    return as_decided(facts.accrual_id, facts.owed, by_time, facts)


def _by_time(content: Content, moment: Moment) -> AccrualStatus:
    """Return how an accrual stands that nobody decided about (M17)."""
    if moment.as_of < content.ends_at:
        return "open"
    return "settling" if moment.as_of < content.settles_at(moment.settling_days) else "final"


def as_frozen(frozen: Frozen, facts: Facts) -> Accrual:
    """Return an accrual that is in a live payment, as it was copied (M18)."""
    return told(
        frozen.accrual_id,
        frozen.content,
        status="paid" if frozen.is_paid else "approved",
        payment_id=frozen.payment_id,
        note=facts.note_on(frozen.accrual_id),
    )


def as_decided(accrual_id: UUID, content: Content, by_time: AccrualStatus, facts: Facts) -> Accrual:
    """Return an accrual that is in no live payment: as was decided, else as time has it.

    An approval is of an amount: of another one it approves nothing, and a note says so (M17).
    """
    decision = facts.decisions.get(accrual_id)
    note = facts.note_on(accrual_id)
    if decision is None or decision.decision is None:
        return told(accrual_id, content, status=by_time, note=note)
    approved_cents = decision.content.amount_cents
    if decision.decision == "void" or approved_cents == content.amount_cents:
        return told(accrual_id, content, status=decision.decision, note=note)
    lapsed = f"approved at {approved_cents} cents, recomputed to {content.amount_cents}"
    return told(accrual_id, content, status="open" if by_time == "open" else "final", note=lapsed)


def told(
    accrual_id: UUID,
    content: Content,
    *,
    status: AccrualStatus,
    note: str | None,
    payment_id: UUID | None = None,
) -> Accrual:
    """Return an accrual of this content."""
    copied = {name: getattr(content, name) for name in CONTENT}
    return Accrual(accrual_id=accrual_id, status=status, payment_id=payment_id, note=note, **copied)
