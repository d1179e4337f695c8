"""Which adjustment corrects a disputed amount: the latest that was made since (money.md M19)."""

from collections.abc import Iterator

from serving_api.resources.payouts.accruals.current import Known
from warehouse.operational.models import PayoutDispute
from warehouse.reading.accruals.accrual import Accrual


def adjusted_so_far(known: Known) -> dict[str, int]:
    """Return the cents of the adjustments in force of an accrual's subject, by number."""
    return {
        str(adjustment.adjustment_number): adjustment.amount_cents
        for adjustment in _in_force(known)
    }


def latest_correction(known: Known, dispute: PayoutDispute) -> Accrual | None:
    """Return the adjustment of the greatest number that came, or changed, since the dispute.

    None where there is none: neither what was in force by then, nor the disputed amount itself.
    """
    since = [
        adjustment
        for adjustment in _in_force(known)
        if adjustment.accrual_id != dispute.accrual_id
        and adjustment.amount_cents != dispute.adjustments.get(str(adjustment.adjustment_number))
    ]
    return max(since, key=lambda adjustment: adjustment.adjustment_number or 0, default=None)


def _in_force(known: Known) -> Iterator[Accrual]:
    return (
        accrual
        for accrual in known.state.accruals
        if accrual.kind == "adjustment" and accrual.status != "void"
    )
