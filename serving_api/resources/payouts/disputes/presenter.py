"""From disputes to answers."""

from datetime import datetime, timedelta

from serving_api.resources.payouts.disputes import schemas
from warehouse.operational.models import PayoutDispute

ONE_DAY = timedelta(days=1)


def present(row: PayoutDispute, now: datetime) -> schemas.Dispute:
    """Return a dispute as it is answered: its clock stands still once it is resolved."""
    columns = {name: getattr(row, name, None) for name in schemas.Dispute.model_fields}
    fields = {
        "org_id": row.organization_id,
        "is_overdue": row.resolved_at is None and row.due_at <= now,
        "age_days": ((row.resolved_at or now) - row.opened_at) // ONE_DAY,
    }
    return schemas.Dispute.model_validate({**columns, **fields})
