"""SQL of decisions about accruals. Every statement names the organization."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from sqlalchemy import ColumnElement, Row, Select, func, or_, select, union
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from serving_api.kit.pagination import among
from serving_api.kit.request_context import WriteContext
from serving_api.kit.rows import rows_of
from warehouse.operational.models import (
    Organization,
    PayoutAccrualDecision,
    PayoutHoldRelease,
    PayoutManualHold,
    PayoutPayment,
    PayoutPaymentAccrual,
    PayoutStructure,
    PayoutVersion,
)
from warehouse.reading.accruals.accrual import CONTENT
from warehouse.reading.accruals.facts import Cadence, Period

Copy = type[PayoutAccrualDecision] | type[PayoutPaymentAccrual]
DecisionRow = Row[*tuple[Any, ...]]


def decided_since(session: Session, organization_id: UUID, transaction: int) -> Sequence[UUID]:
    """Return the subjects decided about by this or a later transaction."""
    return _decided(
        session,
        organization_id,
        PayoutAccrualDecision.changed_by >= transaction,
        PayoutPaymentAccrual.changed_by >= transaction,
        PayoutPayment.changed_by >= transaction,
    )


def decided_at(session: Session, organization_id: UUID, since: datetime) -> Sequence[UUID]:
    """Return the subjects decided, put on hold or released at this time or later."""
    decided = _decided(
        session,
        organization_id,
        PayoutAccrualDecision.decided_at >= since,
        PayoutPaymentAccrual.frozen_at >= since,
        PayoutPayment.updated_at >= since,
    )
    released = select(PayoutHoldRelease.accrual_id).where(
        PayoutHoldRelease.organization_id == organization_id,
        PayoutHoldRelease.released_at >= since,
    )
    held = select(PayoutManualHold.accrual_id).where(
        PayoutManualHold.organization_id == organization_id, PayoutManualHold.created_at >= since
    )
    return [*decided, *session.scalars(union(released, held))]


def _decided(
    session: Session,
    organization_id: UUID,
    decision: ColumnElement[bool],
    freezing: ColumnElement[bool],
    payment: ColumnElement[bool],
) -> Sequence[UUID]:
    by_decision = _subjects(PayoutAccrualDecision, organization_id).where(decision)
    by_freezing = _subjects(PayoutPaymentAccrual, organization_id).where(freezing)
    by_payment = (
        _subjects(PayoutPaymentAccrual, organization_id)
        .join(PayoutPayment, PayoutPayment.id == PayoutPaymentAccrual.payment_id)
        .where(PayoutPayment.organization_id == organization_id, payment)
    )
    return session.scalars(union(by_decision, by_freezing, by_payment)).all()


def cadences(
    session: Session, organization_id: UUID, structure_ids: Collection[UUID]
) -> Mapping[UUID, Cadence]:
    """Return the current period and timezone of structures."""
    current = (
        select(
            PayoutVersion.structure_id,
            func.coalesce(PayoutStructure.timezone, Organization.analytics_tz),
            PayoutVersion.period,
            PayoutVersion.period_anchor,
        )
        .join(PayoutStructure, PayoutStructure.id == PayoutVersion.structure_id)
        .join(Organization, Organization.id == PayoutStructure.organization_id)
        .where(
            PayoutVersion.organization_id == organization_id,
            PayoutVersion.structure_id.in_(structure_ids),
        )
        .ext(distinct_on(PayoutVersion.structure_id))
        .order_by(PayoutVersion.structure_id, PayoutVersion.number.desc())
    )
    return {
        structure_id: Cadence(timezone, cast(Period | None, period), anchor)
        for structure_id, timezone, period, anchor in session.execute(current)
    }


def holding(
    session: Session, organization_id: UUID, version_ids: Collection[UUID]
) -> Collection[UUID]:
    """Return the versions that hold amounts with anomalies."""
    if not version_ids:
        return frozenset()
    statement = select(PayoutVersion.id).where(
        PayoutVersion.organization_id == organization_id,
        among(PayoutVersion.id, version_ids),
        PayoutVersion.hold_anomalies,
    )
    return frozenset(session.scalars(statement))


def subjects_of(
    session: Session, organization_id: UUID, accrual_ids: Collection[UUID]
) -> Mapping[UUID, UUID]:
    """Return subjects by accrual id, for accruals with a decision or payment."""
    copies: tuple[Copy, ...] = (PayoutAccrualDecision, PayoutPaymentAccrual)
    statement = union(
        *(
            select(copy.accrual_id, _subject(copy).label("subject")).where(
                copy.organization_id == organization_id, among(copy.accrual_id, accrual_ids)
            )
            for copy in copies
        )
    )
    return {row.accrual_id: row.subject for row in session.execute(statement)}


def frozen(
    session: Session, organization_id: UUID, subjects: Collection[UUID]
) -> Sequence[DecisionRow]:
    """Return copies of subjects in live payments, with `payment_id` and `status`."""
    return session.execute(
        _copies(PayoutPaymentAccrual, organization_id, subjects)
        .add_columns(PayoutPaymentAccrual.payment_id, PayoutPayment.status)
        .join(PayoutPayment, PayoutPayment.id == PayoutPaymentAccrual.payment_id)
        .where(PayoutPaymentAccrual.is_live)
    ).all()


def in_payments(
    session: Session, organization_id: UUID, accrual_ids: Collection[UUID]
) -> Collection[UUID]:
    """Return those of the accruals that are in live payments."""
    statement = select(PayoutPaymentAccrual.accrual_id).where(
        PayoutPaymentAccrual.organization_id == organization_id,
        PayoutPaymentAccrual.is_live,
        among(PayoutPaymentAccrual.accrual_id, accrual_ids),
    )
    return session.scalars(statement).all()


def decisions(
    session: Session, organization_id: UUID, subjects: Collection[UUID]
) -> Sequence[DecisionRow]:
    """Return the latest decisions about subjects: copies with `decision` and `note`."""
    return session.execute(
        _copies(PayoutAccrualDecision, organization_id, subjects).add_columns(
            PayoutAccrualDecision.decision, PayoutAccrualDecision.note
        )
    ).all()


def structure_names(
    session: Session, organization_id: UUID, structure_ids: Collection[UUID]
) -> Mapping[UUID, str]:
    if not structure_ids:
        return {}
    named = select(PayoutStructure.id, PayoutStructure.name).where(
        PayoutStructure.organization_id == organization_id, among(PayoutStructure.id, structure_ids)
    )
    return {row.id: row.name for row in session.execute(named)}


def frozen_evidence(
    session: Session, organization_id: UUID, accrual_ids: Collection[UUID]
) -> Mapping[UUID, dict[str, Any]]:
    statement = select(PayoutPaymentAccrual.accrual_id, PayoutPaymentAccrual.evidence).where(
        PayoutPaymentAccrual.organization_id == organization_id,
        PayoutPaymentAccrual.is_live,
        among(PayoutPaymentAccrual.accrual_id, accrual_ids),
    )
    return {row.accrual_id: row.evidence for row in session.execute(statement)}


def frozen_views(
    session: Session, organization_id: UUID, accrual_ids: Collection[UUID]
) -> Mapping[UUID, int]:
    """Return the views that paid accruals counted, or that reached a bonus."""
    evidence = PayoutPaymentAccrual.evidence
    numbers = (evidence[name].as_integer() for name in ("payable", "views_read"))
    views = func.coalesce(*numbers).label("views")
    statement = select(PayoutPaymentAccrual.accrual_id, views).where(
        PayoutPaymentAccrual.organization_id == organization_id,
        PayoutPaymentAccrual.is_live,
        PayoutPaymentAccrual.kind == "earning",
        among(PayoutPaymentAccrual.accrual_id, accrual_ids),
        views.is_not(None),
    )
    return {row.accrual_id: row.views for row in session.execute(statement)}


def decided_evidence(
    session: Session, organization_id: UUID, accrual_ids: Collection[UUID]
) -> Mapping[UUID, dict[str, Any]]:
    statement = select(PayoutAccrualDecision.accrual_id, PayoutAccrualDecision.evidence).where(
        PayoutAccrualDecision.organization_id == organization_id,
        among(PayoutAccrualDecision.accrual_id, accrual_ids),
    )
    return {row.accrual_id: row.evidence for row in session.execute(statement)}


def find_decisions(
    context: WriteContext, accrual_ids: Collection[UUID]
) -> Mapping[UUID, PayoutAccrualDecision]:
    """Return the latest decisions about accruals, locked for update."""
    rows = context.session.scalars(
        rows_of(PayoutAccrualDecision, context.organization_id)
        .where(among(PayoutAccrualDecision.accrual_id, accrual_ids))
        .with_for_update()
    )
    return {row.accrual_id: row for row in rows}


def _subject(copy: Copy) -> ColumnElement[UUID]:
    return func.coalesce(copy.adjusts_accrual_id, copy.accrual_id)


def _subjects(copy: Copy, organization_id: UUID) -> Select[UUID]:
    return select(_subject(copy)).where(copy.organization_id == organization_id)


def _copies(
    copy: Copy, organization_id: UUID, subjects: Collection[UUID]
) -> Select[*tuple[Any, ...]]:
    """Select copies of subjects and of their adjustments, without the evidence."""
    return select(copy.accrual_id, *(getattr(copy, name) for name in CONTENT)).where(
        copy.organization_id == organization_id,
        or_(among(copy.accrual_id, subjects), among(copy.adjusts_accrual_id, subjects)),
    )
