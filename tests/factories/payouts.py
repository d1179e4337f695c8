"""Payouts in the operational store: structures, assignments, payments, as the API writes them."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import func, select

from tests.fixtures.api import Tenant
from warehouse.operational.base import business_now
from warehouse.operational.models import (
    PayoutAssignment,
    PayoutPayment,
    PayoutStructure,
    PayoutVersion,
)
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore

RULES: Mapping[str, Mapping[str, Any]] = {
    "recurring": {"period": "monthly", "amount_cents": 100_000, "criteria_params": {}},
    "goals": {"period": "weekly", "amount_cents": 50_000, "criteria_params": {"mode": "all"}},
    "cpm": {
        "period": "weekly",
        "amount_cents": 0,
        "criteria_params": {
            "tiers": [
                {"up_to_impressions": 10_000, "cents_per_thousand": 100},
                {"up_to_impressions": None, "cents_per_thousand": 80},
            ]
        },
    },
    "view_threshold": {
        "period": None,
        "amount_cents": None,
        "criteria_params": {"thresholds": [{"view_count": 1_000, "amount_cents": 5_000}]},
    },
    "conversion": {"period": "weekly", "amount_cents": None},
}
"""Required fields of a rule by type, beside those that `rule` adds. Conversions also need rates."""


def rule(criteria_type: str, **changes: Any) -> dict[str, Any]:
    """Return a rule's fields in the API's format."""
    common = {"criteria_type": criteria_type, "currency": "USD", "proration_mode": "skip"}
    return {**common, **RULES[criteria_type], **changes}


def conversion_rule(event: Any, cadence: str = "weekly", **changes: Any) -> dict[str, Any]:
    """Return a rule that pays 10% of the value of an event's conversions."""
    rates = [{"conversion_event_id": event["id"], "rate_type": "percent", "percent_bps": 1_000}]
    period = None if cadence == "every_conversion" else cadence
    params = {"cadence": cadence, "rates": rates}
    return rule("conversion", **{"period": period, "criteria_params": params, **changes})


def add_structure(
    store: OperationalStore,
    organization: NewOrganization,
    rule: Mapping[str, Any],
    *,
    created_at: datetime | None = None,
    **columns: Any,
) -> UUID:
    """Add a structure with version 1 of a complete rule; return its id.

    `created_at` is the version's; it defaults to business time.
    """
    owner = {"organization_id": organization.organization_id, "project_id": organization.project_id}
    with store.write_session() as session:
        structure = PayoutStructure(**{**owner, "name": "Fee", **columns})
        session.add(structure)
        session.flush()
    add_version(store, structure.id, rule, created_at=created_at)
    return structure.id


def add_version(
    store: OperationalStore,
    structure_id: UUID,
    rule: Mapping[str, Any],
    *,
    created_at: datetime | None = None,
) -> UUID:
    """Add the next version of a structure's rule; return its id."""
    number = select(func.count()).select_from(PayoutVersion)
    with store.write_session() as session:
        structure = session.get_one(PayoutStructure, structure_id)
        before = session.scalars(number.filter_by(structure_id=structure_id)).one()
        version = PayoutVersion(
            organization_id=structure.organization_id,
            structure_id=structure_id,
            number=before + 1,
            created_at=created_at or business_now(session),
            **rule,
        )
        session.add(version)
    return version.id


def add_assignment(
    store: OperationalStore,
    structure_id: UUID,
    creator_id: UUID | str,
    start: date = date(2026, 5, 1),
    end: date | None = None,
) -> UUID:
    """Assign a structure to a creator, by default without an end; return the assignment's id."""
    with store.write_session() as session:
        structure = session.get_one(PayoutStructure, structure_id)
        assignment = PayoutAssignment(
            organization_id=structure.organization_id,
            structure_id=structure_id,
            creator_id=UUID(str(creator_id)),
            start_date=start,
            end_date=end,
        )
        session.add(assignment)
    return assignment.id


def assign(
    tenant: Tenant, creator_id: str, start: date = date(2026, 5, 1), end: date | None = None
) -> UUID:
    """Assign a new structure to a creator; return the structure's id."""
    structure_id = add_structure(tenant.api.store, tenant.made, rule("recurring"))
    add_assignment(tenant.api.store, structure_id, creator_id, start, end)
    return structure_id


def add_payment(
    tenant: Tenant, creator_id: str, payout_method_id: UUID, amount_cents: int = 5_000
) -> PayoutPayment:
    """Add a paid payment on account."""
    payment = PayoutPayment(
        organization_id=tenant.organization_id,
        project_id=tenant.project_id,
        creator_id=UUID(creator_id),
        payout_method_id=payout_method_id,
        amount_cents=amount_cents,
        status="paid",
        is_on_account=True,
    )
    with tenant.api.store.write_session() as session:
        session.add(payment)
    return payment
