"""Read, add, change, exclude and scrape videos; `adding` adds by URL."""

from functools import partial
from uuid import UUID

from scrapers.urls import ShortLinks
from serving_api.errors import InvalidRequest
from serving_api.kit.envelope import Page
from serving_api.kit.pagination import read_slice
from serving_api.kit.readme import replace_readme
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import lock_own, require_own
from serving_api.resources.organization import organizations
from serving_api.resources.programs.campaigns import items
from serving_api.resources.tracking import scrape_jobs
from serving_api.resources.tracking.videos import adding, presenter, repository, schemas, tracking
from warehouse.operational import models


def list_videos(
    context: RequestContext,
    query: schemas.VideoQuery,
    *,
    campaign_id: UUID | None = None,
    oldest_first: bool = False,
) -> Page[schemas.Video]:
    """Return a page of the organization's videos, or of a campaign's, by default newest first."""
    statement = repository.filtered(context.session, context.organization_id, query)
    if campaign_id is not None:
        statement = statement.where(items.has_post(context.organization_id, campaign_id))
    keyset = repository.SORTED[query.sort].of(context.organization_id)
    if oldest_first:
        keyset = keyset.reversed()
    page_slice = read_slice(context.session, statement, keyset, query)
    return page_slice.page(partial(presenter.present, context))


def read_video(context: RequestContext, video_id: UUID) -> schemas.VideoDetail:
    """Return one video, excluded or not. Raises NotFound."""
    video = require_own(context, models.Video, video_id, "Video")
    return presenter.present_detail(context, video)


def add(
    context: WriteContext,
    links: ShortLinks,
    *,
    project_id: UUID,
    body: schemas.NewVideo | schemas.VideoBatch,
) -> schemas.AddedVideos:
    """Track one or many posts by URL.

    Raises NotFound, LimitReached, and Unprocessable for a URL of no post.
    """
    new_videos = body.videos if isinstance(body, schemas.VideoBatch) else [body]
    posts = adding.read_urls([video.url for video in new_videos], links)
    added = adding.add(context, project_id, posts)
    answers = presenter.present(context, added.videos)
    data = answers if isinstance(body, schemas.VideoBatch) else answers[0]
    meta = schemas.AddedMeta(existing_ids=added.existing_ids, paused_count=added.paused_count)
    return schemas.AddedVideos(data=data, meta=meta)


def change(
    context: WriteContext, video_id: UUID, changes: schemas.VideoChanges
) -> schemas.ChangedVideo:
    """Change a video; one that becomes tracked counts towards the plan's limit.

    Raises NotFound, NotesTooLong and LimitReached.
    """
    if changes.sends("tracking_status"):
        organizations.lock(context.session, context.organization_id)
    video = locked(context, video_id)
    if changes.sends("title"):
        video.custom_title = changes.title
    if changes.sends("readme"):
        replace_readme(context.session, video, changes.readme)
    newcomers = []
    if changes.sends("tracking_status"):
        newcomers = tracking.set_status(context.session, [video], changes.tracking_status)
    paused = tracking.make_room(context, newcomers)
    context.session.flush()
    detail = presenter.present_detail(context, video)
    return schemas.ChangedVideo(data=detail, meta=schemas.Paused(paused_count=paused))


def exclude(context: WriteContext, video_id: UUID) -> schemas.ExcludedVideo:
    """Exclude a video; the row stays. Can be repeated. Raises NotFound."""
    video = locked(context, video_id)
    tracking.set_status(context.session, [video], "excluded")
    return schemas.ExcludedVideo(id=video.id)


def scrape(context: WriteContext, video_id: UUID) -> schemas.VideoScrape:
    """Queue a scrape of a video's counters.

    Raises NotFound, RateLimitExceeded, and InvalidRequest if it is not scraped.
    """
    video = require_own(context, models.Video, video_id, "Video")
    if not repository.is_scraped(context.session, video):
        raise InvalidRequest("The video is not tracked: it is excluded, disabled or paused")
    job = scrape_jobs.request_scrape(context, job_type="video_stats", video=video)
    return schemas.VideoScrape(video_id=video.id, job_id=job.id)


def locked(context: WriteContext, video_id: UUID) -> models.Video:
    """Return the video locked for update, excluded or not. Raises NotFound."""
    return lock_own(context, models.Video, video_id, "Video")
