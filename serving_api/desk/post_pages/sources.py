"""Creator, platform and time of posts, for lists with pictures."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from serving_api.desk.creators import names_of
from serving_api.kit.request_context import RequestContext
from serving_api.resources.tracking.videos import repository as videos
from warehouse.platforms import PLATFORM_NAMES


@dataclass(frozen=True, slots=True)
class Source:
    """A post's creator, platform, and time in the publication's time zone."""

    creator: str | None
    platform: str
    posted_at: datetime | None


def sources_of(context: RequestContext, video_ids: Collection[UUID]) -> Mapping[UUID, Source]:
    rows = videos.among_ids(context.session, context.organization_id, video_ids)
    names = names_of(context, {row.creator_id for row in rows if row.creator_id})
    zone = ZoneInfo(context.marts_zone)
    return {
        row.id: Source(
            creator=names.get(row.creator_id) if row.creator_id else None,
            platform=PLATFORM_NAMES[row.platform],
            posted_at=row.posted_at.astimezone(zone) if row.posted_at else None,
        )
        for row in rows
    }
