"""Rows of deactivations: intervals with their account's columns, and the accounts' videos.

Nothing is decided here. Intervals of an account never overlap: none begins before the last one
ended, even if the clock went back. An interval without length is reused by the next (one row for
each instant, as in `warehouse.operational.dated`; the change log keeps the old values).
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Row, or_, select

from serving_api.kit.rows import rows_of
from warehouse.operational.audit_many import change_many
from warehouse.operational.base import business_now
from warehouse.operational.models import Account, AccountDeactivation, Creator, Video
from warehouse.operational.session import WriteSession
from warehouse.registration.tracking_modes import MissedPosts


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """How an interval begins; `by` is the acting member."""

    at: datetime
    by: UUID | None
    video_choice: str
    reason: str | None
    via_creator: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How an interval ends; `existing_videos` is None if no video was frozen or stopped."""

    at: datetime
    by: UUID
    missed_posts: MissedPosts
    existing_videos: str | None
    note: str | None


def inherited(creator: Creator) -> Beginning | None:
    """Return how the interval begins of an account added to a deactivated creator.

    It begins with the creator's. None for an active creator.
    """
    if creator.deactivated_at is None or creator.deactivation_video_choice is None:
        return None
    return Beginning(
        at=creator.deactivated_at,
        by=creator.deactivated_by,
        video_choice=creator.deactivation_video_choice,
        reason=creator.deactivation_reason,
        via_creator=True,
    )


def begin(session: WriteSession, account: Account, beginning: Beginning) -> None:
    """Deactivate an active account, or one that is added to a deactivated creator."""
    interval = _next(session, account, beginning.at)
    interval.deactivated_by = beginning.by
    interval.via_creator = beginning.via_creator
    interval.video_choice = beginning.video_choice
    interval.reason = beginning.reason
    session.add(interval)
    account.deactivated_at = interval.deactivated_at
    account.deactivated_by = beginning.by
    account.deactivated_via_cascade = beginning.via_creator
    account.deactivation_video_choice = beginning.video_choice
    account.deactivation_reason = beginning.reason


def _next(session: WriteSession, account: Account, at: datetime) -> AccountDeactivation:
    """Return a row for an interval from `at`, or from the end of the last one if that is later.

    Reuses the last row if it has no length.
    """
    last = _last(session, account)
    since = max(at, last.reactivated_at or at) if last else at
    if last is None or last.deactivated_at < since:
        return AccountDeactivation(
            organization_id=account.organization_id, account_id=account.id, deactivated_at=since
        )
    last.reactivated_at = last.reactivated_by = None
    last.missed_posts = last.existing_videos = last.note = None
    return last


def _last(session: WriteSession, account: Account) -> AccountDeactivation | None:
    return session.scalar(
        rows_of(AccountDeactivation, account.organization_id)
        .where(AccountDeactivation.account_id == account.id)
        .order_by(AccountDeactivation.deactivated_at.desc())
        .limit(1)
    )


def end(session: WriteSession, account: Account, ending: Ending) -> AccountDeactivation:
    """Reactivate an account; return the interval that ended.

    The next discovery searches the whole history, so that it finds missed posts.
    """
    interval = session.scalars(
        rows_of(AccountDeactivation, account.organization_id).where(
            AccountDeactivation.account_id == account.id,
            AccountDeactivation.reactivated_at.is_(None),
        )
    ).one()
    interval.reactivated_at = max(ending.at, interval.deactivated_at)
    interval.reactivated_by = ending.by
    interval.missed_posts = ending.missed_posts
    interval.existing_videos = ending.existing_videos
    interval.note = ending.note
    account.deactivated_at = account.deactivated_by = None
    account.deactivated_via_cascade = False
    account.deactivation_video_choice = account.deactivation_reason = None
    account.discover_again()
    return interval


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
