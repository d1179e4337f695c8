"""The plan's limit of tracked videos where posts are discovered: the oldest are paused.

Nobody can be refused here, and new posts may be older than those that are there. A post that is
paused in the batch that found it keeps the reading of that batch.
"""

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from warehouse.operational.models import Account, Organization, Video
from warehouse.operational.session import WriteSession
from warehouse.operational.tracked_videos import hold_limit
from warehouse.registration.identities import accounts_of
from warehouse.registration.registry import SAME_POST
from warehouse.registration.staging import POSTS


def lock_organizations(session: Session) -> None:
    """Lock the organizations that the batch will bring videos, in one order for everybody.

    Comes before anything else is locked, as for all who hold the limit (`tracked_videos`).
    """
    accounts = accounts_of(POSTS)
    is_there = exists().where(
        SAME_POST,
        Video.project_id == Account.project_id,
        Video.account_id.in_(select(Account.id).where(Account.is_active).correlate(None)),
    )
    growing = (
        select(Account.organization_id)
        .join(accounts, accounts.c.account_id == Account.id)
        .join(POSTS, POSTS.c.row == accounts.c.row)
        .where(~is_there)
    )
    session.execute(
        select(Organization.id)
        .where(Organization.id.in_(growing))
        .order_by(Organization.id)
        .with_for_update(key_share=True)
    )


def hold_limits(session: WriteSession, organization_ids: Collection[UUID]) -> None:
    """Pause what is beyond the limits of organizations that got videos."""
    for organization_id in sorted(organization_ids):
        hold_limit(session, organization_id)
