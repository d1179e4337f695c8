"""Effects of deactivating and reactivating accounts, of one account or all of a creator.

`service` decides whether it is allowed and which accounts are included.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from serving_api.errors import ExistingVideosRequired, PayoutsRequired
from serving_api.kit.request_context import WriteContext
from serving_api.kit.rows import rows_of
from serving_api.resources.payouts.assignments import repository as assignments
from serving_api.resources.tracking.accounts import owned_videos, tracking
from serving_api.resources.tracking.deactivations import intervals, schemas
from serving_api.resources.tracking.deactivations.intervals import RestedVideos
from serving_api.resources.tracking.videos.tracking import hold_limit, set_status
from warehouse.operational.models import Account, AccountDeactivation, Creator, Video
from warehouse.operational.session import WriteSession
from warehouse.registration.tracking_modes import Tracking, status_of_new_post

# Missed posts come from imported files or an earlier account with the handle. Registration files
# those of the next discovery by the same rule (`warehouse.registration.tracking_modes`).
FILED_BY_RULE = ("auto_tracked", "pending_review")
"""Statuses that no person chose."""


def file_missed(
    session: WriteSession, account: Account, interval: AccountDeactivation, zone: str
) -> int:
    """File the posts of an ended interval as its `missed_posts` says; return how many changed.

    `zone` is the organization's. Posts that a person decided about stay.
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
        rows_of(Video, interval.organization_id)
        .where(
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Woken:
    """How many videos were resumed and stopped, and how many missed posts filed."""

    resumed: int
    stopped: int
    missed_updated: int


def choose_payouts(
    context: WriteContext, creator: Creator, body: schemas.Deactivate
) -> schemas.PayoutChoice | None:
    """Return the choice about the creator's payouts, None if no structure is assigned.

    Raises PayoutsRequired if the choice is missing.
    """
    assigned = assignments.count_of_creator(context.session, creator, context.caller.analytics_tz)
    if not assigned:
        return None
    if body.payouts is None:
        raise PayoutsRequired(assigned)
    return body.payouts


def put_to_rest(
    context: WriteContext,
    accounts: Sequence[Account],
    body: schemas.Deactivate,
    *,
    via_creator: bool,
) -> RestedVideos:
    """Deactivate accounts, and apply the choice to their videos."""
    beginning = intervals.Beginning(
        at=context.now,
        by=context.caller.user_id,
        video_choice=body.videos,
        reason=body.reason,
        via_creator=via_creator,
    )
    for account in accounts:
        intervals.begin(context.session, account, beginning)
    return intervals.hold(context.session, context.organization_id, _ids(accounts), body.videos)


def wake(context: WriteContext, accounts: Sequence[Account], body: schemas.Reactivate) -> Woken:
    """Reactivate accounts, and apply the choices to their videos and missed posts.

    At the plan's limit, resumed videos may pause older ones. Raises ExistingVideosRequired and
    LimitReached before any change.
    """
    choice = _choose_existing(context, accounts, body)
    tracking.room_for_accounts(context).reserve(len(accounts))
    resumed, stopped = _move(context.session, context.organization_id, _ids(accounts), choice)
    ending = intervals.Ending(
        at=context.now,
        by=context.caller.user_id,
        missed_posts=body.missed_posts,
        existing_videos=choice,
        note=body.note,
    )
    missed = [
        file_missed(
            context.session,
            account,
            intervals.end(context.session, account, ending),
            context.caller.analytics_tz,
        )
        for account in accounts
    ]
    hold_limit(context.session, context.organization_id, _ids(accounts))
    return Woken(resumed=resumed, stopped=stopped, missed_updated=sum(missed))


def _choose_existing(
    context: WriteContext, accounts: Sequence[Account], body: schemas.Reactivate
) -> schemas.ExistingVideos | None:
    frozen, stopped = owned_videos.video_counts(context, _ids(accounts))
    if not frozen and not stopped:
        return None
    if body.existing_videos is None:
        raise ExistingVideosRequired(frozen=frozen, stopped=stopped)
    return body.existing_videos


def _move(
    session: WriteSession,
    organization_id: UUID,
    account_ids: Collection[UUID],
    choice: schemas.ExistingVideos | None,
) -> tuple[int, int]:
    """Return how many videos were resumed, and how many were stopped."""
    if choice == "resume":
        return intervals.resume(session, organization_id, account_ids), 0
    if choice == "stop":
        return 0, intervals.stop_frozen(session, organization_id, account_ids)
    return 0, 0


def _ids(accounts: Sequence[Account]) -> list[UUID]:
    return [account.id for account in accounts]
