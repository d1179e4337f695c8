"""Videos of accounts that are deactivated or reactivated.

Each video is marked as frozen or stopped, never both. Excluded videos are left alone, because they
are not scraped. Every statement names the organization.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Row, or_, select

from warehouse.operational.audit_many import change_many
from warehouse.operational.base import business_now
from warehouse.operational.models import Video
from warehouse.operational.session import WriteSession

PausedVideo = Row[UUID, datetime | None, datetime | None]

_NOT_EXCLUDED = Video.tracking_status != "excluded"
_STANDS_STILL = or_(Video.frozen_at.is_not(None), Video.stopped_at.is_not(None))


@dataclass(frozen=True, slots=True)
class RestedVideos:
    """How many videos were frozen, and how many were stopped."""

    frozen: int = 0
    stopped: int = 0


def hold(
    session: WriteSession, organization_id: UUID, account_ids: Collection[UUID], choice: str
) -> RestedVideos:
    """Apply a VideoChoice to the videos of deactivated accounts; return how many changed."""
    if choice == "keep_tracking":
        return RestedVideos()
    if choice == "stop_tracking":
        return RestedVideos(stopped=stop(session, organization_id, account_ids))
    moving = _locked(session, organization_id, account_ids, _NOT_EXCLUDED, ~_STANDS_STILL)
    set_column(session, organization_id, "frozen_at", moving, business_now(session))
    return RestedVideos(frozen=len(moving))


def stop(session: WriteSession, organization_id: UUID, account_ids: Collection[UUID]) -> int:
    """Stop all videos that are not stopped, including frozen ones; return how many."""
    not_stopped = Video.stopped_at.is_(None)
    videos = _locked(session, organization_id, account_ids, _NOT_EXCLUDED, not_stopped)
    return _stop(session, organization_id, videos)


def stop_frozen(session: WriteSession, organization_id: UUID, account_ids: Collection[UUID]) -> int:
    videos = _locked(session, organization_id, account_ids, Video.frozen_at.is_not(None))
    return _stop(session, organization_id, videos)


def resume(session: WriteSession, organization_id: UUID, account_ids: Collection[UUID]) -> int:
    """Track frozen and stopped videos again; return how many."""
    videos = _locked(session, organization_id, account_ids, _STANDS_STILL)
    set_column(session, organization_id, "frozen_at", videos, None)
    set_column(session, organization_id, "stopped_at", videos, None)
    return len(videos)


def _stop(session: WriteSession, organization_id: UUID, videos: Sequence[PausedVideo]) -> int:
    set_column(session, organization_id, "frozen_at", videos, None)
    set_column(session, organization_id, "stopped_at", videos, business_now(session))
    return len(videos)


def _locked(
    session: WriteSession,
    organization_id: UUID,
    account_ids: Collection[UUID],
    *conditions: ColumnElement[bool],
) -> Sequence[PausedVideo]:
    """Lock and return the accounts' videos that meet the conditions."""
    session.flush()
    statement = (
        select(Video.id, Video.frozen_at, Video.stopped_at)
        .where(
            Video.organization_id == organization_id, Video.account_id.in_(account_ids), *conditions
        )
        .order_by(Video.id)
        .with_for_update(key_share=True, of=Video)
    )
    return session.execute(statement).all()


def set_column(
    session: WriteSession,
    organization_id: UUID,
    column: str,
    videos: Sequence[Row[*tuple[Any, ...]]],
    after: datetime | UUID | None,
) -> None:
    """Set a column of videos, grouped by old value; rows have `id` and the old value."""
    by_value: dict[Any, list[UUID]] = defaultdict(list)
    for video in videos:
        by_value[getattr(video, column)].append(video.id)
    by_value.pop(after, None)
    for before, ids in by_value.items():
        change_many(
            session,
            Video,
            ids,
            organization_id=organization_id,
            column=column,
            before=before,
            after=after,
        )
