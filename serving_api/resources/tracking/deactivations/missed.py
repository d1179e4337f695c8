"""Posts published while an account was deactivated that are known already when it comes back.

They came from files, or from an earlier account with the handle. What the next discovery finds,
registration files by the same rule (`warehouse.registration.tracking_modes`).
"""

from collections.abc import Sequence

from sqlalchemy import select

from serving_api.resources.tracking.videos.tracking import set_status
from warehouse.operational.models import Account, AccountDeactivation, Video
from warehouse.operational.session import WriteSession
from warehouse.registration.tracking_modes import Tracking, status_of_new_post

FILED_BY_RULE = ("auto_tracked", "pending_review")
"""Statuses that no person chose."""


def file_missed(
    session: WriteSession, account: Account, interval: AccountDeactivation, zone: str
) -> int:
    """File the posts of an interval that ended as `missed_posts` says; return how many.

    `zone` is the organization's. What a person decided about a post stays.
    """
    changed = 0
    for video in _published_in(session, interval):
        status = _status_of(video, Tracking.of(account, zone), interval)
        if status is not None and status != video.tracking_status:
            set_status(session, [video], status)
            changed += 1
    return changed


def _published_in(session: WriteSession, interval: AccountDeactivation) -> Sequence[Video]:
    return session.scalars(
        select(Video)
        .where(
            Video.organization_id == interval.organization_id,
            Video.account_id == interval.account_id,
            Video.posted_at >= interval.deactivated_at,
            Video.posted_at < interval.reactivated_at,
            Video.tracking_status.in_(FILED_BY_RULE),
        )
        .order_by(Video.id)
    ).all()


def _status_of(video: Video, tracking: Tracking, interval: AccountDeactivation) -> str | None:
    if video.posted_at is None:
        return None
    return status_of_new_post(
        tracking,
        caption=video.caption,
        posted_at=video.posted_at,
        missed_posts=interval.missed_posts,
    )
