"""SQL of the videos of accounts. Every statement names the organization."""

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import Row, and_, func, select, union_all
from sqlalchemy.orm import aliased

from serving_api.kit.pagination import among
from serving_api.kit.request_context import RequestContext
from warehouse.operational.models import Account, Video
from warehouse.operational.session import WriteSession

_TAKER, _REMOVED = aliased(Account), aliased(Account)
"""Created once, because SQLAlchemy 2 copies every column of an alias."""
TransferredVideo = Row[UUID, UUID | None, UUID | None, UUID, UUID]
"""A video's id, account_id and creator_id, and its new owner: `to_account`, `to_creator`."""


def video_counts(context: RequestContext, account_ids: Collection[UUID]) -> tuple[int, int]:
    """Return how many videos of the accounts are frozen and how many are stopped."""
    counted = select(
        func.count().filter(Video.frozen_at.is_not(None)),
        func.count().filter(Video.stopped_at.is_not(None)),
    ).where(Video.organization_id == context.organization_id, Video.account_id.in_(account_ids))
    frozen, stopped = context.session.execute(counted).one()
    return frozen, stopped


def videos_to_transfer(
    session: WriteSession, accounts: Sequence[Account]
) -> Sequence[TransferredVideo]:
    """Lock and return videos with these accounts' handles that have no owner or a removed one.

    The accounts are of one project and have different handles.
    """
    organization_id, project_id = accounts[0].organization_id, accounts[0].project_id
    taker, removed = _TAKER, _REMOVED
    is_taker = among(taker.id, [account.id for account in accounts])
    of_removed = (
        select(Video.id, taker.id.label("to_account"), taker.creator_id.label("to_creator"))
        .select_from(taker)
        .join(
            removed,
            and_(
                removed.organization_id == organization_id,
                removed.project_id == project_id,
                removed.platform == taker.platform,
                removed.handle == taker.handle,
                removed.is_active.is_(False),
            ),
        )
        .join(Video, Video.account_id == removed.id)
        .where(is_taker)
    )
    unowned = (
        select(Video.id, taker.id, taker.creator_id)
        .select_from(taker)
        .join(
            Video,
            and_(
                Video.account_id.is_(None),
                Video.project_id == project_id,
                Video.platform == taker.platform,
                Video.author_handle == taker.handle,
            ),
        )
        .where(is_taker)
    )
    candidates = union_all(of_removed, unowned).subquery()
    return session.execute(
        select(
            Video.id,
            Video.account_id,
            Video.creator_id,
            candidates.c.to_account,
            candidates.c.to_creator,
        )
        .join(candidates, candidates.c.id == Video.id)
        .where(Video.organization_id == organization_id)
        .order_by(Video.id)
        .with_for_update(key_share=True, of=Video)
    ).all()
