"""SQL of payout structures and their versions. Every statement names the organization."""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from sqlalchemy import Select, exists, or_, select, union_all
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from serving_api.kit.pagination import Keyset
from serving_api.resources.payouts.structures.schemas import StructureQuery
from warehouse.operational.models import (
    ConversionEvent,
    PayoutAccrualDecision,
    PayoutAssignment,
    PayoutBudget,
    PayoutPaymentAccrual,
    PayoutStructure,
    PayoutVersion,
)
from warehouse.operational.session import WriteSession

NEWEST_FIRST = Keyset(PayoutStructure.created_at, PayoutStructure.id, "payout-structures")
USES = (PayoutAssignment, PayoutAccrualDecision, PayoutPaymentAccrual)
"""What a structure was used for: whom it was to pay, and what was decided or paid of it."""


def of_organization(organization_id: UUID) -> Select[PayoutStructure]:
    """Select every structure of an organization, archived ones too."""
    return select(PayoutStructure).where(PayoutStructure.organization_id == organization_id)


def filtered(organization_id: UUID, query: StructureQuery) -> Select[PayoutStructure]:
    """Select the structures of an organization that the filters leave."""
    statement = of_organization(organization_id)
    if query.project_id is not None:
        statement = statement.where(PayoutStructure.project_id == query.project_id)
    if query.is_active is not None:
        statement = statement.where(PayoutStructure.is_active == query.is_active)
    return statement


def find(session: Session, organization_id: UUID, structure_id: UUID) -> PayoutStructure | None:
    """Return the structure, archived or not; None if absent or another organization's."""
    return session.scalar(
        of_organization(organization_id).where(PayoutStructure.id == structure_id)
    )


def lock(
    session: WriteSession, organization_id: UUID, structure_id: UUID, *, to_delete: bool = False
) -> PayoutStructure | None:
    """Return the structure for writing; None if absent or another organization's.

    Whoever adds a version or an assignment holds it, so that a rule cannot change its shape while
    a creator is being assigned.
    """
    return session.scalar(
        of_organization(organization_id)
        .where(PayoutStructure.id == structure_id)
        .with_for_update(key_share=not to_delete)
        .execution_options(populate_existing=True)
    )


def lock_all(
    session: WriteSession, organization_id: UUID, structure_ids: Collection[UUID] | None = None
) -> Sequence[PayoutStructure]:
    """Return structures of an organization for writing: those named, or all."""
    statement = of_organization(organization_id).order_by(PayoutStructure.id)
    if structure_ids is not None:
        statement = statement.where(PayoutStructure.id.in_(structure_ids))
    held = statement.with_for_update(key_share=True).execution_options(populate_existing=True)
    return session.scalars(held).all()


def with_frozen_accruals(session: Session, organization_id: UUID) -> frozenset[UUID]:
    """Return the structures with accruals in a payment that is pending or paid."""
    frozen = select(PayoutPaymentAccrual.structure_id).where(
        PayoutPaymentAccrual.organization_id == organization_id, PayoutPaymentAccrual.is_live
    )
    return frozenset(session.scalars(frozen.distinct()))


def versions(session: Session, structure: PayoutStructure) -> Sequence[PayoutVersion]:
    """Return a structure's versions, the current one first."""
    statement = select(PayoutVersion).where(
        PayoutVersion.organization_id == structure.organization_id,
        PayoutVersion.structure_id == structure.id,
    )
    return session.scalars(statement.order_by(PayoutVersion.number.desc())).all()


def budgets_of(session: WriteSession, structure: PayoutStructure) -> Sequence[PayoutBudget]:
    """Return a structure's budgets, for writing."""
    statement = select(PayoutBudget).where(
        PayoutBudget.organization_id == structure.organization_id,
        PayoutBudget.structure_id == structure.id,
    )
    return session.scalars(statement.order_by(PayoutBudget.id).with_for_update()).all()


def version(session: Session, organization_id: UUID, version_id: UUID) -> PayoutVersion:
    """Return the version that something was computed by, which is there for good."""
    return session.scalars(
        select(PayoutVersion).where(
            PayoutVersion.organization_id == organization_id, PayoutVersion.id == version_id
        )
    ).one()


def current_versions(
    session: Session, organization_id: UUID, structure_ids: Collection[UUID]
) -> Mapping[UUID, PayoutVersion]:
    """Return the current version of many structures, by structure."""
    statement = (
        select(PayoutVersion)
        .where(
            PayoutVersion.organization_id == organization_id,
            PayoutVersion.structure_id.in_(structure_ids),
        )
        .ext(distinct_on(PayoutVersion.structure_id))
        .order_by(PayoutVersion.structure_id, PayoutVersion.number.desc())
    )
    return {version.structure_id: version for version in session.scalars(statement)}


def naming_event(session: Session, event: ConversionEvent) -> Sequence[UUID]:
    """Return the structures in use of which a version pays for the event, in order.

    Any version counts: accruals are recomputed by that of their period. Out of use is what was
    archived without ever having been assigned, as it never pays anybody.
    """
    rates = {"rates": [{"conversion_event_id": str(event.id)}]}
    statement = (
        select(PayoutStructure.id)
        .join(PayoutVersion, PayoutVersion.structure_id == PayoutStructure.id)
        .where(
            PayoutStructure.organization_id == event.organization_id,
            PayoutStructure.project_id == event.project_id,
            PayoutVersion.organization_id == event.organization_id,
            PayoutVersion.criteria_type == "conversion",
            PayoutVersion.criteria_params.contains(rates),
            or_(
                PayoutStructure.is_active,
                *(
                    exists().where(
                        model.organization_id == event.organization_id,
                        model.structure_id == PayoutStructure.id,
                    )
                    for model in USES
                ),
            ),
        )
    )
    return session.scalars(statement.distinct().order_by(PayoutStructure.id)).all()


def is_used(session: Session, structure: PayoutStructure) -> bool:
    """Tell whether a creator was ever assigned, or an accrual decided about or paid."""
    uses = [
        select(model.structure_id).where(
            model.organization_id == structure.organization_id,
            model.structure_id == structure.id,
        )
        for model in USES
    ]
    return session.scalars(union_all(*uses).limit(1)).first() is not None
