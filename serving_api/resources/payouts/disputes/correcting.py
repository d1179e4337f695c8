"""Find the adjustment that corrects a disputed amount, the latest one (money.md M19)."""

from collections.abc import Iterator

from serving_api.resources.payouts.accruals.current import Known
from warehouse.operational.models import PayoutDispute
from warehouse.reading.accruals.accrual import Accrual


def adjusted_so_far(known: Known) -> dict[str, int]:
    """Return the cents of an accrual's adjustments in force, by number."""
    return {
        str(adjustment.adjustment_number): adjustment.amount_cents
        for adjustment in _in_force(known)
    }


def latest_correction(known: Known, dispute: PayoutDispute) -> Accrual | None:
    """Return the highest-numbered adjustment that was added or changed since the dispute.

    None if there is none. Earlier unchanged adjustments and the disputed amount itself do not
    count.
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
