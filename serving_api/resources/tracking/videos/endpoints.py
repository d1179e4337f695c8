"""`/videos` and `/projects/{project_id}/videos`."""

from typing import Annotated
from uuid import UUID

from scrapers.urls import ShortLinks
from serving_api.auth.dependencies import AdminWriter, Reader, ReadKey, Writer
from serving_api.errors import InvalidRequest, LimitReached, NotesTooLong, Unprocessable
from serving_api.files.signed_urls import Files, Urls
from serving_api.http.bodies import BATCH_BYTES, takes_up_to
from serving_api.http.keyed_route import keyed_router
from serving_api.http.sessions import BucketDbs
from serving_api.http.short_links import links_in
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Envelope, Page
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.tracking.videos import schemas, service, thumbnails

router = keyed_router("videos")

Links = Annotated[ShortLinks, links_in("url", "videos.url")]


@router.get("/videos")
def list_videos(*, context: Reader, query: Params[schemas.VideoQuery]) -> Page[schemas.Video]:
    """List videos, without excluded ones. The last added comes first.

    For `updated_since`, changes of tags do not count.
    """
    return service.list_videos(context, query)


@router.get("/videos/{video_id}")
def get_video(*, context: Reader, video_id: UUID) -> Envelope[schemas.VideoDetail]:
    """Return one video, including an excluded one."""
    return Envelope(data=service.read_video(context, video_id))


@router.get("/videos/{video_id}/thumbnail")
def get_video_thumbnail(
    *, caller: ReadKey, sessions: BucketDbs, files: Files, urls: Urls, video_id: UUID
) -> Envelope[thumbnails.Thumbnail | None]:
    """Return the download URL of the post's stored picture. The answer is null if there is none."""
    with sessions() as session:
        path = thumbnails.path_of(session, caller.organization_id, video_id)
    return Envelope(data=thumbnails.thumbnail_at(files, urls, path))


@router.post(
    "/projects/{project_id}/videos", status_code=201, responses=answers(LimitReached, Unprocessable)
)
@idempotent()
@takes_up_to(BATCH_BYTES)
def add_project_videos(
    *, links: Links, context: Writer, project_id: UUID, body: schemas.OneOrMany
) -> schemas.AddedVideos:
    """Track one post, or up to 50, by URL. Their counters are scraped soon after.

    At the plan's limit of tracked videos the oldest are paused, except exempt ones.
    """
    return service.add(context, links, project_id=project_id, body=body)


@router.patch("/videos/{video_id}", responses=answers(LimitReached, NotesTooLong))
def change_video(
    *, context: Writer, video_id: UUID, changes: schemas.VideoChanges
) -> schemas.ChangedVideo:
    """Change a video's title, notes or tracking status.

    If it becomes tracked at the plan's limit, the oldest other is paused.
    """
    return service.change(context, video_id, changes)


@router.delete("/videos/{video_id}")
def exclude_video(*, context: AdminWriter, video_id: UUID) -> Envelope[schemas.ExcludedVideo]:
    """Exclude a video from scrapes, totals and payouts."""
    return Envelope(data=service.exclude(context, video_id))


@router.post("/videos/{video_id}/scrape", responses=answers(InvalidRequest))
@idempotent()
def scrape_video(*, context: AdminWriter, video_id: UUID) -> Envelope[schemas.VideoScrape]:
    """Queue a scrape of a video's counters now."""
    return Envelope(data=service.scrape(context, video_id))
