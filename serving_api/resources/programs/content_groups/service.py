"""`/content-groups`."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from uuid import UUID

from sqlalchemy import Select, and_, select

from serving_api.auth.dependencies import Reader, Writer
from serving_api.errors import NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.counters import sum_of_known
from serving_api.kit.envelope import Deleted, Envelope, Page
from serving_api.kit.pagination import Keyset, read_slice
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import from_row, lock_own, require_own, rows_of
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.organization import organizations, projects
from serving_api.resources.programs.content_groups import schemas
from serving_api.resources.tracking.videos import repository as videos
from warehouse.operational.audit_many import change_many
from warehouse.operational.models import ContentGroup, Video
from warehouse.operational.session import WriteSession
from warehouse.operational.tracked_videos import COUNTED
from warehouse.reading.videos import VideoCounts, latest_counts

NEWEST_FIRST = Keyset(ContentGroup.created_at, ContentGroup.id, "content-groups")


def filtered(organization_id: UUID, project_id: UUID | None) -> Select[ContentGroup]:
    """Select the groups of an organization, or of one of its projects."""
    statement = rows_of(ContentGroup, organization_id)
    return statement.where(ContentGroup.project_id == project_id) if project_id else statement


def video_ids(context: RequestContext, group_ids: Collection[UUID]) -> Mapping[UUID, list[UUID]]:
    """Return video ids by group id in order of registration, by one query."""
    linked = (
        select(Video.content_group_id, Video.id)
        .where(
            Video.organization_id == context.organization_id,
            Video.content_group_id.in_(group_ids),
            Video.tracking_status != "excluded",
        )
        .order_by(Video.created_at, Video.id)
    )
    ids_of_group: dict[UUID, list[UUID]] = defaultdict(list)
    for group_id, video_id in context.session.execute(linked):
        if group_id is not None:
            ids_of_group[group_id].append(video_id)
    return ids_of_group


def counted_videos(context: RequestContext, group_id: UUID) -> Sequence[tuple[UUID, str]]:
    """Return id and platform of the group's videos that count in metrics."""
    counted = select(Video.id, Video.platform).where(
        Video.organization_id == context.organization_id,
        Video.content_group_id == group_id,
        Video.tracking_status.in_(COUNTED),
    )
    return [(video_id, platform) for video_id, platform in context.session.execute(counted)]


def lock_linked(session: WriteSession, group: ContentGroup) -> Sequence[UUID]:
    """Lock and return all videos of the group, including excluded ones."""
    linked = and_(
        Video.organization_id == group.organization_id, Video.content_group_id == group.id
    )
    return session.scalars(
        select(Video.id).where(linked).order_by(Video.id).with_for_update(key_share=True)
    ).all()


COUNTERS = tuple(schemas.Totals.model_fields)


def _totals(ids: list[UUID], counts: Mapping[UUID, VideoCounts]) -> dict[str, int | None]:
    known = [counts[video_id] for video_id in ids if video_id in counts]
    return {
        name: sum_of_known(getattr(video, name) for video in known) if ids else 0
        for name in COUNTERS
    }


def require(context: RequestContext, group_id: UUID) -> ContentGroup:
    """Return the group's row. Raises NotFound."""
    return require_own(context, ContentGroup, group_id, "Content group")


def create(context: WriteContext, body: schemas.NewContentGroup) -> schemas.ContentGroup:
    """Create a group of videos. Raises NotFound for the project or its videos."""
    organizations.lock(context.session, context.organization_id)
    projects.require(context.session, context.organization_id, body.project_id)
    group = ContentGroup(
        organization_id=context.organization_id,
        project_id=body.project_id,
        title=body.title,
        notes=body.notes,
        created_by=context.caller.user_id,
    )
    context.session.add(group)
    context.session.flush()
    _link(context.session, group, body.video_ids)
    return _presented(context, [group])[0]


def _locked(context: WriteContext, group_id: UUID) -> ContentGroup:
    organizations.lock(context.session, context.organization_id)
    return lock_own(context, ContentGroup, group_id, "Content group")


def _link(session: WriteSession, group: ContentGroup, video_ids: Collection[UUID]) -> None:
    """Add videos to the group; videos that are in a group are skipped."""
    linked = videos.lock_many(
        session,
        group.organization_id,
        group.project_id,
        video_ids,
        Video.tracking_status != "excluded",
    )
    missing = set(video_ids) - {video.id for video in linked}
    if missing:
        absent = sorted(map(str, missing))
        raise NotFound("Videos not found in this project", not_found_ids=list(absent))
    free = [video.id for video in linked if video.content_group_id is None]
    _set_group(session, group, free, before=None, after=group.id)


def _unlink(
    session: WriteSession, group: ContentGroup, video_ids: Collection[UUID] | None = None
) -> None:
    """Remove videos from the group; all of them by default."""
    linked = lock_linked(session, group)
    leaving = [video_id for video_id in linked if video_ids is None or video_id in video_ids]
    _set_group(session, group, leaving, before=group.id, after=None)


def _set_group(
    session: WriteSession,
    group: ContentGroup,
    video_ids: Collection[UUID],
    *,
    before: UUID | None,
    after: UUID | None,
) -> None:
    change_many(
        session,
        Video,
        video_ids,
        organization_id=group.organization_id,
        column="content_group_id",
        before=before,
        after=after,
    )


def _presented(context: RequestContext, rows: Sequence[ContentGroup]) -> list[schemas.ContentGroup]:
    linked = video_ids(context, [row.id for row in rows])
    return [from_row(schemas.ContentGroup, row, video_ids=linked.get(row.id, [])) for row in rows]


router = keyed_router("content groups")


@router.get("/content-groups")
def list_content_groups(
    *, context: Reader, query: Params[schemas.ContentGroupQuery]
) -> Page[schemas.ContentGroup]:
    """List content groups. The newest comes first."""
    statement = filtered(context.organization_id, query.project_id)
    keyset = NEWEST_FIRST.of(context.organization_id)
    page_slice = read_slice(context.session, statement, keyset, query)
    return page_slice.page(partial(_presented, context))


@router.post("/content-groups", status_code=201, responses=answers(NotFound))
@idempotent()
def create_content_group(
    *, context: Writer, body: schemas.NewContentGroup
) -> Envelope[schemas.ContentGroup]:
    """Link videos of a project. Videos that are in another group are skipped."""
    return Envelope(data=create(context, body))


@router.get("/content-groups/{content_group_id}")
def get_content_group(*, context: Reader, content_group_id: UUID) -> Envelope[schemas.ContentGroup]:
    """Return one content group."""
    return Envelope(data=_presented(context, [require(context, content_group_id)])[0])


@router.patch("/content-groups/{content_group_id}")
def change_content_group(
    *, context: Writer, content_group_id: UUID, changes: schemas.ContentGroupChanges
) -> Envelope[schemas.ContentGroup]:
    """Change a content group's title, notes or videos."""
    group = _locked(context, content_group_id)
    changes.apply_to(group, "title", "notes")
    if changes.sends("remove_video_ids"):
        _unlink(context.session, group, set(changes.remove_video_ids))
    if changes.sends("add_video_ids"):
        _link(context.session, group, changes.add_video_ids)
    context.session.flush()
    return Envelope(data=_presented(context, [group])[0])


@router.delete("/content-groups/{content_group_id}")
def delete_content_group(*, context: Writer, content_group_id: UUID) -> Envelope[Deleted]:
    """Delete a content group. Its videos are unlinked and stay."""
    group = _locked(context, content_group_id)
    _unlink(context.session, group)
    context.session.delete(group)
    return Envelope(data=Deleted())


@router.get("/content-groups/{content_group_id}/stats")
def get_content_group_stats(
    *, context: Reader, content_group_id: UUID
) -> Envelope[schemas.ContentGroupStats]:
    """Return the counts of a group's videos, in total and by platform."""
    require(context, content_group_id)
    platforms: dict[str, list[UUID]] = defaultdict(list)
    counted_rows = counted_videos(context, content_group_id)
    for video_id, platform in counted_rows:
        platforms[platform].append(video_id)
    counted = [video_id for ids in platforms.values() for video_id in ids]
    counts = context.marts.look_up(latest_counts, context.organization_id, counted)
    stats = schemas.ContentGroupStats(
        video_count=len(counted),
        totals=schemas.Totals(**_totals(counted, counts)),
        by_platform={
            platform: schemas.PlatformStats(video_count=len(ids), **_totals(ids, counts))
            for platform, ids in sorted(platforms.items())
        },
    )
    return Envelope(data=stats)
