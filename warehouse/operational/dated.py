"""Dated decisions (money.md M3): the present value, and history rows with their start.

Each function changes both together and adds no row if nothing changes. A decision never takes
effect before an earlier one: with an earlier instant it replaces the latest row, so that the
present value is always that of the last row. A wrong clock decides nothing: WrongClockError.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.orm import Session

from warehouse.ids import uuid7
from warehouse.operational.clock import refuse_wrong_dates
from warehouse.operational.models import (
    Goal,
    GoalState,
    Organization,
    OrganizationConversionPayouts,
    OrganizationZone,
    Video,
    VideoOwner,
    VideoStatus,
)
from warehouse.operational.session import WriteSession
from warehouse.zones import require_zone

DatedRow = (
    type[GoalState]
    | type[OrganizationConversionPayouts]
    | type[OrganizationZone]
    | type[VideoOwner]
    | type[VideoStatus]
)

OF_GOAL = (
    "organization_id",
    "project_id",
    "creator_id",
    "metric",
    "period",
    "target_value",
    "start_date",
    "end_date",
    "is_active",
    "platform_scope",
    "platform",
    "account_id",
)
"""Columns that a goal and its states share."""


def set_video_status(session: WriteSession, video: Video, status: str, at: datetime) -> None:
    """Set the tracking_status of `video` from `at` on (money.md M13)."""
    _lock(session, video)
    _decide(session, VideoStatus, _of(video), {"tracking_status": status}, at)
    video.tracking_status = status


class Owned(NamedTuple):
    """A video and its new owner."""

    id: UUID
    organization_id: UUID
    account_id: UUID | None
    creator_id: UUID | None


def date_owners(session: Session, owned: Sequence[Owned], at: datetime) -> None:
    """Write the owners of many videos from `at` on (money.md M14), in two statements.

    The caller sets the columns of the videos, and guarantees that each one's owner changes.
    """
    refuse_wrong_dates(session)
    last = select(VideoOwner.video_id, func.max(VideoOwner.valid_from)).group_by(
        VideoOwner.video_id
    )
    ids = [video.id for video in owned]
    decided = dict(session.execute(last.where(VideoOwner.video_id.in_(ids))).all())
    statement = upsert(VideoOwner)
    session.execute(
        statement.on_conflict_do_update(
            index_elements=["video_id", "valid_from"],
            set_={
                "account_id": statement.excluded.account_id,
                "creator_id": statement.excluded.creator_id,
            },
        ),
        [
            {
                "id": uuid7(),
                "organization_id": video.organization_id,
                "video_id": video.id,
                "account_id": video.account_id,
                "creator_id": video.creator_id,
                "valid_from": max(at, decided.get(video.id, at)),
            }
            for video in owned
        ],
    )


def zone_of(session: Session, organization_id: UUID) -> str:
    """Return an organization's present zone, read from the database."""
    zone = select(Organization.analytics_tz).where(Organization.id == organization_id)
    return session.scalars(zone).one()


def set_zone(session: WriteSession, organization: Organization, tz: str, at: datetime) -> None:
    """Set the zone of the organization's days from `at` on (money.md M15).

    Raises UnknownZoneError.
    """
    zone = {"analytics_tz": require_zone(tz)}
    _lock(session, organization)
    _decide(session, OrganizationZone, {"organization_id": organization.id}, zone, at)
    organization.analytics_tz = tz


def set_conversion_payouts(
    session: WriteSession, organization: Organization, at: datetime, *, is_enabled: bool
) -> None:
    """Set whether conversions recorded from `at` on (inclusive) create accruals.

    Independent of their `occurred_at`. Without a decision they do.
    """
    _lock(session, organization)
    if organization.conversion_payouts_enabled != is_enabled:
        decided = {"is_enabled": is_enabled}
        of_organization = {"organization_id": organization.id}
        _decide(session, OrganizationConversionPayouts, of_organization, decided, at)
        organization.conversion_payouts_enabled = is_enabled


def record_goal_state(
    session: WriteSession, goal: Goal, at: datetime, *, is_deleted: bool = False
) -> None:
    """Record the state of `goal` from `at` on, or its deletion (money.md M21).

    The caller has flushed or locked the goal.
    """
    state = {name: getattr(goal, name) for name in OF_GOAL}
    _decide(session, GoalState, {"goal_id": goal.id}, {**state, "is_deleted": is_deleted}, at)


def _of(video: Video) -> dict[str, Any]:
    return {"organization_id": video.organization_id, "video_id": video.id}


def _lock(session: WriteSession, subject: Video | Organization) -> None:
    """Lock and reload `subject`, so that its history has one writer at a time.

    Key-share readers pass: this must not wait for a payment that waits for a structure which a
    change of zone locks.
    """
    session.flush()
    session.refresh(subject, with_for_update={"key_share": True})


def _decide(
    session: WriteSession,
    row: DatedRow,
    subject: dict[str, Any],
    decision: dict[str, Any],
    at: datetime,
) -> None:
    """Update the history of `subject` with `decision`."""
    refuse_wrong_dates(session)
    history = select(row).filter_by(**subject).order_by(row.valid_from.desc()).limit(1)
    latest: Any = session.scalars(history).first()
    if latest is None or latest.valid_from < at:
        if latest is None or any(getattr(latest, name) != decision[name] for name in decision):
            session.add(row(**subject, **decision, valid_from=at))
        return
    for name, value in decision.items():
        setattr(latest, name, value)
