"""Stretches in which accounts are deactivated: the dated row and the account's columns, together.

Here nothing is decided: not whether it may be, nor what becomes of videos and payouts. Stretches
of an account follow one another: none begins before the last one ended, whatever the clock shows,
and one that ended at the instant at which it began makes room for the next (one row an instant, as
`warehouse.operational.dated` has it; what the row was stays in the change log).
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import select

from warehouse.operational.models import Account, AccountDeactivation, Creator
from warehouse.operational.session import WriteSession
from warehouse.registration.tracking_modes import MissedPosts


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """How a interval begins; `by` is the acting member."""

    at: datetime
    by: UUID | None
    video_choice: str
    reason: str | None
    via_creator: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a interval ends; `existing_videos` is None where no video stood still."""

    at: datetime
    by: UUID
    missed_posts: MissedPosts
    existing_videos: str | None
    note: str | None


def inherited(creator: Creator) -> Beginning | None:
    """Return how the interval of an account begins that is added to a deactivated creator.

    It begins where the creator's did. None for a creator that is active.
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
    """Deactivate an account that is active, or that is being added to a deactivated creator."""
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
    """Return a row for a interval from `at` on, or from where the last one ended if that is later.

    It is the last one's where that had no length.
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
        select(AccountDeactivation)
        .where(
            AccountDeactivation.organization_id == account.organization_id,
            AccountDeactivation.account_id == account.id,
        )
        .order_by(AccountDeactivation.deactivated_at.desc())
        .limit(1)
    )


def end(session: WriteSession, account: Account, ending: Ending) -> AccountDeactivation:
    """Make a deactivated account active again; return the interval that ended.

    The next discovery goes back all the way, so that it finds what was missed.
    """
    interval = session.scalars(
        select(AccountDeactivation).where(
            AccountDeactivation.organization_id == account.organization_id,
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
