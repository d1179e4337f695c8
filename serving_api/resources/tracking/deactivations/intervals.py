"""Deactivation intervals of accounts: writes the dated row and the account's columns together.

Nothing is decided here: neither whether a change is allowed, nor what happens to videos and
payouts. Intervals of an account never overlap: none begins before the last one ended, even if the
clock went back. An interval without length is reused by the next (one row for each instant, as in
`warehouse.operational.dated`; the change log keeps the old values).
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from serving_api.kit.rows import rows_of
from warehouse.operational.models import Account, AccountDeactivation, Creator
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
    account.discover_anew()
    return interval
