"""SQL of payout structures and their versions, and the timezone of a structure's days (M15).

Every statement names the organization.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
from uuid import UUID

from sqlalchemy import Select, exists, or_, select, union_all
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from serving_api.kit.days import today_in
from serving_api.kit.pagination import Keyset
from serving_api.kit.rows import matching, rows_of
from serving_api.resources.payouts.structures.bonuses import bonus_day
from serving_api.resources.payouts.structures.rules import Period
from serving_api.resources.payouts.structures.schemas import StructureQuery
from serving_api.resources.programs.goal_compliance import goal_states
from serving_api.resources.programs.goal_compliance.goal_states import ONE_DAY, Span
from warehouse.operational import dated
from warehouse.operational.audit import entity_type_of
from warehouse.operational.base import business_now
from warehouse.operational.models import (
    ChangeEntry,
    ConversionEvent,
    Organization,
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
"""Tables whose rows show that a structure was used: assignments, decisions and payments."""


def filtered(organization_id: UUID, query: StructureQuery) -> Select[PayoutStructure]:
    return matching(PayoutStructure, organization_id, query, "project_id", "is_active")


def lock_all(
    session: WriteSession, organization_id: UUID, structure_ids: Collection[UUID] | None = None
) -> Sequence[PayoutStructure]:
    """Return structures of an organization locked for update: the given ones, or all."""
    statement = rows_of(PayoutStructure, organization_id).order_by(PayoutStructure.id)
    if structure_ids is not None:
        statement = statement.where(PayoutStructure.id.in_(structure_ids))
    query = statement.with_for_update(key_share=True).execution_options(populate_existing=True)
    return session.scalars(query).all()


def with_frozen_accruals(session: Session, organization_id: UUID) -> frozenset[UUID]:
    """Return the structures with accruals in a pending or paid payment."""
    frozen = select(PayoutPaymentAccrual.structure_id).where(
        PayoutPaymentAccrual.organization_id == organization_id, PayoutPaymentAccrual.is_live
    )
    return frozenset(session.scalars(frozen.distinct()))


def versions(session: Session, structure: PayoutStructure) -> Sequence[PayoutVersion]:
    """Return a structure's versions, the current one first."""
    statement = rows_of(PayoutVersion, structure.organization_id).where(
        PayoutVersion.structure_id == structure.id
    )
    return session.scalars(statement.order_by(PayoutVersion.number.desc())).all()


def budgets_of(session: WriteSession, structure: PayoutStructure) -> Sequence[PayoutBudget]:
    """Return a structure's budgets locked for update."""
    statement = rows_of(PayoutBudget, structure.organization_id).where(
        PayoutBudget.structure_id == structure.id
    )
    return session.scalars(statement.order_by(PayoutBudget.id).with_for_update()).all()


def version(session: Session, organization_id: UUID, version_id: UUID) -> PayoutVersion:
    """Return the version that something was computed by. Versions are never deleted then."""
    return session.scalars(
        rows_of(PayoutVersion, organization_id).where(PayoutVersion.id == version_id)
    ).one()


def current_versions(
    session: Session, organization_id: UUID, structure_ids: Collection[UUID]
) -> Mapping[UUID, PayoutVersion]:
    statement = (
        rows_of(PayoutVersion, organization_id)
        .where(PayoutVersion.structure_id.in_(structure_ids))
        .ext(distinct_on(PayoutVersion.structure_id))
        .order_by(PayoutVersion.structure_id, PayoutVersion.number.desc())
    )
    return {version.structure_id: version for version in session.scalars(statement)}


def naming_event(session: Session, event: ConversionEvent) -> Sequence[UUID]:
    """Return the ids of structures with a version that pays for the event, sorted.

    Every version counts, because accruals are recomputed with the version of their period.
    Structures that were archived without any assignment are left out: they never pay.
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
    """Return whether a creator was ever assigned, or an accrual decided or paid.

    A cancelled assignment is only in the change log, but accruals of its days may be published.
    """
    uses = [
        select(model.structure_id).where(
            model.organization_id == structure.organization_id, model.structure_id == structure.id
        )
        for model in USES
    ]
    cancelled = select(ChangeEntry.entity_id).where(
        ChangeEntry.organization_id == structure.organization_id,
        ChangeEntry.entity_type == entity_type_of(PayoutAssignment),
        ChangeEntry.kind == "deleted",
        ChangeEntry.changes["structure_id"]["from"].astext == str(structure.id),
    )
    return session.scalars(union_all(*uses, cancelled).limit(1)).first() is not None


def zone_of(structure: PayoutStructure, organization_zone: str) -> str:
    """Return a structure's IANA timezone: its own if it kept one, else the organization's."""
    return structure.timezone or organization_zone


def today_of(session: Session, structure: PayoutStructure, organization_zone: str) -> date:
    """Return the current day in a structure's timezone."""
    return today_in(zone_of(structure, organization_zone), business_now(session))


def freeze_zones(session: WriteSession, organization: Organization, zone: str) -> None:
    """Prepare structures for a new timezone of their organization.

    The organization is locked and still has the old timezone.

    Structures with accruals in a live payment keep their timezone. All others take the new one,
    even if they kept another for payments that were released since.
    """
    if zone == organization.analytics_tz:
        return
    structures = lock_all(session, organization.id)
    frozen = with_frozen_accruals(session, organization.id)
    for structure in structures:
        own_zone = zone_of(structure, organization.analytics_tz)
        structure.timezone = own_zone if structure.id in frozen else None
    session.flush()


def names_in_other_zones(session: Session, organization: Organization, zone: str) -> Sequence[str]:
    """Return the names of the structures that `freeze_zones` leaves in another zone, sorted."""
    frozen = with_frozen_accruals(session, organization.id)
    structures = session.scalars(
        rows_of(PayoutStructure, organization.id).where(
            PayoutStructure.id.in_(frozen), bonus_day().is_(None)
        )
    )
    return sorted(
        structure.name
        for structure in structures
        if zone_of(structure, organization.analytics_tz) != zone
    )


def hold_zones(session: WriteSession, organization_id: UUID, zones: Mapping[UUID, str]) -> None:
    """Lock structures whose accruals, computed in these timezones, are about to be frozen.

    A structure that moved to another timezone since then moves back, because its accruals and
    their ids belong to periods of the timezone they were computed in.
    """
    structures = lock_all(session, organization_id, zones)
    # Read after locking: a change of the organization's timezone waits for the structures.
    organization_zone = dated.zone_of(session, organization_id)
    for structure in structures:
        if zone_of(structure, organization_zone) != zones[structure.id]:
            structure.timezone = zones[structure.id]
    session.flush()


MONDAY = 1


def span_of(day: date, period: Period | None, anchor: int | None, zone: str) -> Span:
    """Return the period that contains a day, or the day itself without a period.

    `anchor` is the ISO weekday on which weeks start; None is Monday.
    """
    shift = timedelta(days=(anchor or MONDAY) - MONDAY)
    span = goal_states.span_of(day - shift, period or "daily", zone)
    return Span(span.first + shift, span.last + shift, zone)


def next_start(day: date, period: Period | None, anchor: int | None, zone: str) -> date:
    """Return the first day of the first period that starts after a day."""
    return span_of(day, period, anchor, zone).last + ONE_DAY
