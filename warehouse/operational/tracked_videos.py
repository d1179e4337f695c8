"""Which videos are tracked, and the plan's limit of them (contract, Limits; decisions.md).

What belongs here: the one definition of 'tracked' and the one way room is made for more, used by
the API and by registration. At the limit the oldest tracked videos are paused: their counts stand
still, and they go on counting as posted. A pause ends only by `tracking-enable`.
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
"""The tracking_statuses that are in totals, payouts and goals (decisions.md, 'Counted')."""

_AT_ONCE = 5000
_OWNER = aliased(Account)
"""Callers may have joined accounts. An alias is made once: SQLAlchemy 2 copies every column."""


class NoRoomError(Exception):
    """Too few can be paused: `current` videos are tracked beside those that room is for."""

    def __init__(self, current: int, maximum: int) -> None:
        super().__init__(f"{current} tracked videos, too few of which can be paused for {maximum}")
        self.current = current
        self.maximum = maximum


def tracking_is_on(is_of_active: ColumnElement[bool] | None = None) -> ColumnElement[bool]:
    """Neither disabled, plan-paused, frozen nor stopped, nor of a removed account.

    Freezing and stopping are marked on the video: a deactivated account's may go on. Each video's
    account is looked up, which takes what the videos are that are asked about. A statement about
    everybody's names `among_active_accounts` instead.
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
    """Return since when tracking is off for a reason that has an instant; null: it is not.

    `account` is the video's own, joined by the caller.
    """
    removed_at = case((account.is_active.is_(False), account.removed_at))
    return func.least(Video.plan_limit_paused_at, Video.frozen_at, Video.stopped_at, removed_at)


def among_active_accounts() -> ColumnElement[bool]:
    """Of an account that was not removed, for statements about all videos that there are.

    PostgreSQL reads all accounts once, and may have several processes do so.
    """
    return Video.account_id.in_(select(Account.id).where(Account.is_active))


def tracked_video() -> ColumnElement[bool]:
    """Of a counted status, and tracking on: what `max_tracked_videos_per_org` counts."""
    return and_(Video.tracking_status.in_(COUNTED), tracking_is_on())


def make_room(session: WriteSession, organization_id: UUID, newcomers: Collection[UUID]) -> int:
    """Pause the oldest tracked videos to make room for newcomers; return how many were paused.

    `newcomers` are the videos that a transaction has just made tracked; those of them that are
    not, because something else stands against it, need no room. Exempt videos are never paused,
    nor are newcomers. Oldest is the earliest posted_at (unknown comes last), then created_at.

    One transaction at a time passes here, by the lock on the organization's row. Whoever changes
    accounts or videos before must take that lock first: the order is organization, account, video.
    Raises NoRoomError where too few can be paused; roll back then.
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
    """Pause the oldest tracked videos beyond the plan's limit, new ones too; return how many.

    Exempt videos stay tracked, were there more of them than the limit: posts that were discovered
    and a plan that became smaller cannot be refused. Accounts that are `returning` with some of
    them can: raises NoRoomError; roll back then. Locks as `make_room` does.
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
    """Tell whether a video of the accounts is tracked."""
    tracked = exists().where(
        Video.organization_id == organization_id, Video.account_id.in_(account_ids), tracked_video()
    )
    return session.scalar(select(tracked)) is True


def _locked_limit(session: WriteSession, organization_id: UUID) -> int:
    """Return the limit of the plan in force, held still until the transaction ends."""
    named = select(Organization.plan).where(Organization.id == organization_id)
    plan_name = session.scalars(named.with_for_update(key_share=True)).one()
    return plan(plan_name).max_tracked_videos_per_org


def _count(session: WriteSession, organization_id: UUID, ids: Collection[UUID]) -> tuple[int, int]:
    """Return how many tracked videos are in `ids`, and how many are not."""
    is_active = Video.id.in_(ids)
    counted = select(func.count().filter(is_active), func.count().filter(~is_active)).where(
        Video.organization_id == organization_id, tracked_video()
    )
    inside, others = session.execute(counted).one()
    return inside, others


def _pause_oldest(
    session: WriteSession, organization_id: UUID, spared: Collection[UUID], number: int
) -> int:
    """Pause up to `number` videos, as many as can be; return how many."""
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
