"""SQL of the videos of accounts. Every statement names the organization."""

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import Row, func, select, union_all
from sqlalchemy.orm import Session

from warehouse.operational.models import Account, Video
from warehouse.operational.session import WriteSession

VideoAsItWas = Row[UUID, UUID | None, UUID | None]
"""A video's id, account_id and creator_id."""


def standing_still(
    session: Session, organization_id: UUID, account_ids: Collection[UUID]
) -> tuple[int, int]:
    """Return how many videos of the accounts are frozen, and how many are stopped."""
    counted = select(
        func.count().filter(Video.frozen_at.is_not(None)),
        func.count().filter(Video.stopped_at.is_not(None)),
    ).where(Video.organization_id == organization_id, Video.account_id.in_(account_ids))
    frozen, stopped = session.execute(counted).one()
    return frozen, stopped


def videos_to_take_over(session: WriteSession, account: Account) -> Sequence[VideoAsItWas]:
    """Return the project's videos of this account's handle: of nobody, or of a removed account."""
    removed = select(Account.id).where(
        Account.organization_id == account.organization_id,
        Account.project_id == account.project_id,
        Account.platform == account.platform,
        Account.handle == account.handle,
        Account.is_active.is_(False),
    )
    of_removed = select(Video.id).where(Video.account_id.in_(removed))
    of_nobody = select(Video.id).where(
        Video.account_id.is_(None),
        Video.project_id == account.project_id,
        Video.platform == account.platform,
        Video.author_handle == account.handle,
    )
    return session.execute(
        select(Video.id, Video.account_id, Video.creator_id)
        .where(
            Video.organization_id == account.organization_id,
            Video.id.in_(union_all(of_removed, of_nobody)),
        )
        .order_by(Video.id)
        .with_for_update(key_share=True, of=Video)
    ).all()
