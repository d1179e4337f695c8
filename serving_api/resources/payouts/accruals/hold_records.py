"""SQL of manual holds and of releases. Every statement names the organization."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Select, Uuid, literal, select, union
from sqlalchemy.orm import Session

from serving_api.kit.pagination import among
from warehouse.operational.models import PayoutHoldRelease, PayoutManualHold, User


def releases(
    session: Session, organization_id: UUID, accrual_ids: Collection[UUID]
) -> set[tuple[UUID, UUID]]:
    """Return released (accrual, anomaly) id pairs."""
    released = select(PayoutHoldRelease.accrual_id, PayoutHoldRelease.anomaly_id).where(
        PayoutHoldRelease.organization_id == organization_id,
        among(PayoutHoldRelease.accrual_id, accrual_ids),
    )
    return {(row.accrual_id, row.anomaly_id) for row in session.execute(released)}


class HoldChange(NamedTuple):
    """A manual hold or a release of an accrual: when, by whom and why.

    `anomaly_id` is what the release of a hold names. It is null of a release, as is `member` if a
    key or the service did it.
    """

    accrual_id: UUID
    at: datetime
    member: str | None
    reason: str
    anomaly_id: UUID | None


def manual_holds(
    session: Session, organization_id: UUID, accrual_ids: Collection[UUID] | None
) -> Sequence[HoldChange]:
    """Return unreleased manual holds of some accruals or all, the first hold first."""
    release = select(PayoutHoldRelease.accrual_id).where(
        PayoutHoldRelease.accrual_id == PayoutManualHold.accrual_id,
        PayoutHoldRelease.anomaly_id == PayoutManualHold.id,
    )
    held = _holds(organization_id).where(~release.exists())
    if accrual_ids is not None:
        held = held.where(among(PayoutManualHold.accrual_id, accrual_ids))
    return [
        HoldChange._make(row)
        for row in session.execute(held.order_by(PayoutManualHold.created_at, PayoutManualHold.id))
    ]


def hold_changes(session: Session, organization_id: UUID, accrual_id: UUID) -> Sequence[HoldChange]:
    """Return an accrual's manual holds and its releases, the first first."""
    held = _holds(organization_id).where(PayoutManualHold.accrual_id == accrual_id)
    release = PayoutHoldRelease
    released = (
        select(
            release.accrual_id,
            release.released_at,
            User.display_name,
            release.reason,
            literal(None, Uuid),
        )
        .outerjoin(User, User.id == release.released_by)
        .where(release.organization_id == organization_id, release.accrual_id == accrual_id)
    )
    rows = session.execute(union(held, released))
    changes = [HoldChange._make(row) for row in rows]
    return sorted(changes, key=lambda change: (change.at, change.anomaly_id is None))


def _holds(organization_id: UUID) -> Select[*tuple[Any, ...]]:
    hold = PayoutManualHold
    return (
        select(hold.accrual_id, hold.created_at, User.display_name, hold.reason, hold.id)
        .outerjoin(User, User.id == hold.created_by)
        .where(hold.organization_id == organization_id)
    )
