"""SQL of content groups. Every statement names the organization.

Excluded videos are left out of their group; they are back once included again.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from sqlalchemy import Select, and_, select
from sqlalchemy.orm import Session

from serving_api.kit.pagination import Keyset
from serving_api.kit.rows import rows_of
from warehouse.operational.models import ContentGroup, Video
from warehouse.operational.session import WriteSession
from warehouse.operational.tracked_videos import COUNTED

NEWEST_FIRST = Keyset(ContentGroup.created_at, ContentGroup.id, "content-groups")


def filtered(organization_id: UUID, project_id: UUID | None) -> Select[ContentGroup]:
    """Select the groups of an organization, or of one of its projects."""
    statement = rows_of(ContentGroup, organization_id)
    return statement.where(ContentGroup.project_id == project_id) if project_id else statement


def video_ids(
    session: Session, organization_id: UUID, group_ids: Collection[UUID]
) -> Mapping[UUID, list[UUID]]:
    """Return video ids by group id in order of registration, by one query."""
    linked = (
        select(Video.content_group_id, Video.id)
        .where(
            Video.organization_id == organization_id,
            Video.content_group_id.in_(group_ids),
            Video.tracking_status != "excluded",
        )
        .order_by(Video.created_at, Video.id)
    )
    ids_of_group: dict[UUID, list[UUID]] = defaultdict(list)
    for group_id, video_id in session.execute(linked):
        if group_id is not None:
            ids_of_group[group_id].append(video_id)
    return ids_of_group


def counted_videos(
    session: Session, organization_id: UUID, group_id: UUID
) -> Sequence[tuple[UUID, str]]:
    """Return id and platform of the group's videos that count in metrics."""
    counted = select(Video.id, Video.platform).where(
        Video.organization_id == organization_id,
        Video.content_group_id == group_id,
        Video.tracking_status.in_(COUNTED),
    )
    return [(video_id, platform) for video_id, platform in session.execute(counted)]


def lock_linked(session: WriteSession, group: ContentGroup) -> Sequence[UUID]:
    """Lock and return all videos of the group, including excluded ones."""
    linked = and_(
        Video.organization_id == group.organization_id, Video.content_group_id == group.id
    )
    return session.scalars(
        select(Video.id).where(linked).order_by(Video.id).with_for_update(key_share=True)
    ).all()
