"""Tracked videos, and the plan's limit of them (contract, Limits; decisions.md).

Defines 'tracked' once, and how the API and registration make room for more. At the limit the
oldest tracked videos are paused: their counts stand still, and they still count as posted. A pause
ends only by `tracking-enable`.
"""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, and_, case, exists, func, or_, select
from sqlalchemy.orm import aliased

from warehouse.operational.audit_many import change_many
from warehouse.operational.base import business_now
from warehouse.operational.models import Account, Organization, Video
from warehouse.operational.session import WriteSession
from warehouse.plans import plan

COUNTED = ("auto_tracked", "included", "direct_add")
"""The tracking_statuses that count in totals, payouts and goals (decisions.md, 'Counted')."""

_AT_ONCE = 5000
_OWNER = aliased(Account)
"""An alias, because callers may have joined accounts. Created once, because SQLAlchemy 2 copies
every column for it.
"""


class NoRoomError(Exception):
    """Too few videos can be paused: `current` are tracked beside the new ones."""

    def __init__(self, current: int, maximum: int) -> None:
        super().__init__(
            f"{current} videos are tracked; too few can be paused to stay within {maximum}"
        )
        self.current = current
        self.maximum = maximum


def tracking_is_on(is_of_active: ColumnElement[bool] | None = None) -> ColumnElement[bool]:
    """Match videos not disabled, plan-paused, frozen or stopped, without a removed account.

    A deactivated account's videos may continue: freezing and stopping are set on the video. This
    looks up each video's account, at a cost by the number of videos. Statements about all videos
    pass `among_active_accounts` instead.
    """
    is_active = exists().where(_OWNER.id == Video.account_id, _OWNER.is_active)
    return and_(
        Video.tracking_disabled.is_(False),
        Video.plan_limit_paused_at.is_(None),
        Video.frozen_at.is_(None),
        Video.stopped_at.is_(None),
        or_(Video.account_id.is_(None), is_active if is_of_active is None else is_of_active),
    )


def tracking_ended_at(account: type[Account]) -> ColumnElement[datetime | None]:
    """Return when tracking ended for a reason that has an instant; null if it has not.

    `account` is the video's own, joined by the caller.
    """
    removed_at = case((account.is_active.is_(False), account.removed_at))
    return func.least(Video.plan_limit_paused_at, Video.frozen_at, Video.stopped_at, removed_at)


def among_active_accounts() -> ColumnElement[bool]:
    """Match videos of accounts that are not removed, for statements about all videos.

    PostgreSQL scans accounts once, possibly in parallel.
    """
    return Video.account_id.in_(select(Account.id).where(Account.is_active))


def tracked_video() -> ColumnElement[bool]:
    """Match videos that count towards `max_tracked_videos_per_org`: counted status, tracking on."""
    return and_(Video.tracking_status.in_(COUNTED), tracking_is_on())


def make_room(session: WriteSession, organization_id: UUID, newcomers: Collection[UUID]) -> int:
    """Pause the oldest tracked videos to make room for newcomers. Returns the number paused.

    `newcomers` are videos that the transaction has just made tracked; those not tracked for another
    reason need no room. Exempt videos and newcomers are never paused. Oldest means the earliest
    posted_at (unknown last), then created_at.

    The lock on the organization's row admits one transaction at a time. Take it before changing
    accounts or videos: the lock order is organization, account, video. Raises NoRoomError if too
    few can be paused; roll back then.
    """
    session.flush()
    maximum = _locked_limit(session, organization_id)
    coming, others = _count(session, organization_id, newcomers)
    over = coming + others - maximum
    if coming == 0 or over <= 0:
        return 0
    if _pause_oldest(session, organization_id, newcomers, over) < over:
        raise NoRoomError(others, maximum)
    return over


def hold_limit(
    session: WriteSession, organization_id: UUID, returning: Collection[UUID] = ()
) -> int:
    """Pause the oldest tracked videos beyond the plan's limit, also new ones. Returns their number.

    Exempt videos stay tracked, even beyond the limit: discovered posts and a smaller plan cannot
    be refused. `returning` accounts can: raises NoRoomError; roll back then. Locks as `make_room`
    does.
    """
    session.flush()
    maximum = _locked_limit(session, organization_id)
    _, tracked = _count(session, organization_id, ())
    paused = _pause_oldest(session, organization_id, (), tracked - maximum)
    if tracked - paused > maximum and _has_tracked(session, organization_id, returning):
        raise NoRoomError(tracked - paused, maximum)
    return paused


def _has_tracked(
    session: WriteSession, organization_id: UUID, account_ids: Collection[UUID]
) -> bool:
    tracked = exists().where(
        Video.organization_id == organization_id, Video.account_id.in_(account_ids), tracked_video()
    )
    return session.scalar(select(tracked)) is True


def _locked_limit(session: WriteSession, organization_id: UUID) -> int:
    """Return the plan's limit, locked until the transaction ends."""
    named = select(Organization.plan).where(Organization.id == organization_id)
    plan_name = session.scalars(named.with_for_update(key_share=True)).one()
    return plan(plan_name).max_tracked_videos_per_org


def _count(session: WriteSession, organization_id: UUID, ids: Collection[UUID]) -> tuple[int, int]:
    """Return the numbers of tracked videos in `ids`, and of others."""
    is_active = Video.id.in_(ids)
    counted = select(func.count().filter(is_active), func.count().filter(~is_active)).where(
        Video.organization_id == organization_id, tracked_video()
    )
    inside, others = session.execute(counted).one()
    return inside, others


def _pause_oldest(
    session: WriteSession, organization_id: UUID, spared: Collection[UUID], number: int
) -> int:
    """Pause up to `number` videos. Returns the number paused."""
    oldest = (
        select(Video.id)
        .where(
            Video.organization_id == organization_id,
            tracked_video(),
            Video.tracking_exempted.is_(False),
            Video.id.not_in(spared),
        )
        .order_by(Video.posted_at.asc().nulls_last(), Video.created_at, Video.id)
        .with_for_update(key_share=True, of=Video)
    )
    now = business_now(session)
    paused = 0
    while paused < number:
        video_ids = session.scalars(oldest.limit(min(number - paused, _AT_ONCE))).all()
        if not video_ids:
            break
        change_many(
            session,
            Video,
            video_ids,
            organization_id=organization_id,
            column="plan_limit_paused_at",
            before=None,
            after=now,
        )
        paused += len(video_ids)
    return paused
