"""The status of a dispute in words."""

from serving_api.resources.payouts.accruals.summary import dollars
from warehouse.operational.models import PayoutDispute


def outcome_of(dispute: PayoutDispute) -> str:
    if dispute.correction_cents is not None:
        return f"disputed, corrected by {dollars(dispute.correction_cents)}"
    return {
        "open": "disputed, not answered yet",
        "answered": "disputed, answered, not decided yet",
        "rejected": "disputed, reviewed, amount unchanged",
    }[dispute.state]
