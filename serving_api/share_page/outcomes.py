"""How a dispute stands, as the page says it."""

from serving_api.resources.payouts.accruals.summary import dollars
from warehouse.operational.models import PayoutDispute


def outcome_of(dispute: PayoutDispute) -> str:
    """Return in a few words what came of a dispute so far."""
    if dispute.correction_cents is not None:
        return f"said to be wrong, and corrected by {dollars(dispute.correction_cents)}"
    return {
        "open": "said to be wrong, not answered yet",
        "answered": "said to be wrong, answered and not decided yet",
        "rejected": "said to be wrong, looked at, and left as it is",
    }[dispute.state]
