"""Videos sorted by a counter of the publication, for pages."""

from uuid import UUID

from serving_api.errors import InvalidRequest
from serving_api.kit.envelope import Page, PageMeta
from serving_api.kit.request_context import RequestContext
from serving_api.resources.tracking.videos import presenter, repository
from serving_api.resources.tracking.videos.schemas import Video, VideoQuery
from warehouse.operational import models
from warehouse.reading.sorted_videos import VideoCounter, VideosByCount, list_by_count

MOST_MATCHES = 10_000
"""Limit of posts that match a search."""


def read_by_count(
    context: RequestContext,
    query: VideoQuery,
    counter: VideoCounter,
    *,
    campaign_id: UUID | None,
    highest_first: bool,
    offset: int,
) -> Page[Video]:
    """Return one page of the publication's videos, unknown counts last. Raises InvalidRequest."""
    by_count = VideosByCount(
        organization_id=context.organization_id,
        project_id=query.project_id,
        platform=query.platform,
        creator_id=query.creator_id,
        campaign_id=campaign_id,
        ids=_matching(context, query),
        counter=counter,
        highest_first=highest_first,
        limit=query.limit + 1,
        offset=offset,
    )
    with context.marts.cursor() as cursor:
        ids = list_by_count(cursor, by_count) if cursor else []
    statement = repository.filtered(context.session, context.organization_id, query)
    listed = context.session.scalars(statement.where(models.Video.id.in_(ids[: query.limit])))
    rows = {row.id: row for row in listed}
    videos = presenter.present(context, [rows[video_id] for video_id in ids if video_id in rows])
    return Page(data=videos, meta=PageMeta(hasMore=len(ids) > query.limit, nextCursor=None))


def _matching(context: RequestContext, query: VideoQuery) -> str | None:
    """Return the ids that match the search, or None without one."""
    if query.search is None:
        return None
    statement = repository.filtered(context.session, context.organization_id, query)
    ids = context.session.scalars(
        statement.with_only_columns(models.Video.id).limit(MOST_MATCHES + 1)
    ).all()
    if len(ids) > MOST_MATCHES:
        raise InvalidRequest(
            f"More than {MOST_MATCHES:,} posts match. Narrow the search to sort them by a count."
        )
    return ",".join(map(str, ids)) or str(context.organization_id)
