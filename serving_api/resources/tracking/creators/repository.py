"""SQL of creators. Every statement names the organization."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Select, func, or_, select
from sqlalchemy.orm import Session

from serving_api.errors import NotFound
from serving_api.kit.filters import contains
from serving_api.kit.pagination import Keyset
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import require_own, rows_of
from serving_api.resources.programs.tags.filters import tagged
from serving_api.resources.tracking.accounts.repository import handle_contains
from serving_api.resources.tracking.creators.schemas import CreatorQuery
from warehouse.operational.models import Account, Creator, Video
from warehouse.operational.session import WriteSession
from warehouse.operational.tracked_videos import tracked_video

NEWEST_FIRST = Keyset(Creator.created_at, Creator.id, "creators")


@dataclass(frozen=True, slots=True)
class PostCounts:
    """How many of a creator's posts are tracked, and how many await review."""

    tracked: int = 0
    pending_review: int = 0


def filtered(session: Session, organization_id: UUID, query: CreatorQuery) -> Select[Creator]:
    """Select the matching creators of an organization, without removed ones."""
    statement = rows_of(Creator, organization_id).where(Creator.is_active)
    owners = select(Account.creator_id).where(
        Account.organization_id == organization_id, Account.is_active
    )
    if query.project_id is not None:
        statement = statement.where(Creator.project_id == query.project_id)
    if query.platform is not None:
        there = owners.where(Account.platform == query.platform)
        statement = statement.where(Creator.id.in_(there))
    if query.search is not None:
        # One query for all matching handles instead of one search for each creator.
        named = owners.where(handle_contains(query.search))
        statement = statement.where(
            or_(contains(Creator.display_name, query.search), Creator.id.in_(named))
        )
    return tagged(session, statement, "creator", organization_id, query)


def require_active(context: RequestContext, creator_id: UUID) -> Creator:
    """Return the creator. Raises NotFound, also for a removed one."""
    creator = require_own(context, Creator, creator_id, "Creator")
    if not creator.is_active:
        raise NotFound.named("Creator")
    return creator


def lock(session: WriteSession, organization_id: UUID, creator_id: UUID) -> Creator | None:
    """Return the creator locked for update, or None if absent or another organization's."""
    return session.scalar(
        rows_of(Creator, organization_id, creator_id).with_for_update(key_share=True)
    )


def post_counts(
    session: Session, organization_id: UUID, creator_ids: Collection[UUID] | Select[UUID]
) -> Mapping[UUID, PostCounts]:
    """Return post counts by creator; creators without posts are left out.

    Posts of a deactivated account are not counted as tracked. Those still scraped count towards
    `max_tracked_videos_per_org`.
    """
    counted = (
        select(
            Video.creator_id,
            func.count().filter(tracked_video(), Account.deactivated_at.is_(None)),
            func.count().filter(Video.tracking_status == "pending_review"),
        )
        .join(Account, Account.id == Video.account_id)
        .where(
            Video.organization_id == organization_id,
            Video.creator_id.in_(creator_ids),
            Account.is_active,
        )
        .group_by(Video.creator_id)
    )
    rows = session.execute(counted)
    return {creator: PostCounts(tracked, pending) for creator, tracked, pending in rows if creator}
