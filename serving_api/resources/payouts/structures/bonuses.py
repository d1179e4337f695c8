"""Which structures are bonuses: archived daily retainers that pay one creator for one day."""

from datetime import date
from uuid import UUID

from sqlalchemy import ScalarSelect, and_, func, select

from serving_api.kit.request_context import RequestContext
from warehouse.operational.models import PayoutAssignment, PayoutStructure, PayoutVersion


def bonus_day() -> ScalarSelect[date]:
    """Return the day for which the statement's structure is a bonus, null for other rules."""
    # Period and type of a rule cannot change once it has an assignment.
    is_first = and_(
        PayoutVersion.organization_id == PayoutAssignment.organization_id,
        PayoutVersion.structure_id == PayoutAssignment.structure_id,
        PayoutVersion.number == 1,
    )
    first_day = func.min(PayoutAssignment.start_date)
    return (
        select(first_day)
        .join(PayoutVersion, is_first)
        .where(
            ~PayoutStructure.is_active,
            PayoutAssignment.organization_id == PayoutStructure.organization_id,
            PayoutAssignment.structure_id == PayoutStructure.id,
            PayoutVersion.criteria_type == "recurring",
            PayoutVersion.period == "daily",
        )
        .having(func.count() == 1, first_day == func.max(PayoutAssignment.end_date))
        .correlate(PayoutStructure)
        .scalar_subquery()
    )


def bonus_day_of(context: RequestContext, structure_id: UUID) -> date | None:
    """Return the day that a bonus pays, None for a structure that is none."""
    return context.session.scalar(
        select(bonus_day()).where(
            PayoutStructure.organization_id == context.organization_id,
            PayoutStructure.id == structure_id,
        )
    )
