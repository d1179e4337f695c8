"""Payout structures and their assignments in the operational store, written as the API would."""

from datetime import date
from uuid import UUID

from tests.fixtures.api import Tenant
from warehouse.operational.models import PayoutAssignment, PayoutStructure


def assign(
    tenant: Tenant, creator_id: str, start: date = date(2026, 5, 1), end: date | None = None
) -> None:
    """Assign a structure of its own to a creator; without an end it stays open."""
    owner = {"organization_id": tenant.organization_id}
    with tenant.api.store.write_session() as session:
        structure = PayoutStructure(**owner, project_id=tenant.project_id, name="Fee")
        session.add(structure)
        session.flush()
        about = {"structure_id": structure.id, "creator_id": UUID(creator_id)}
        session.add(PayoutAssignment(**owner, **about, start_date=start, end_date=end))
