"""What may happen to a video. Adding by URL is decided in `adding`."""

from uuid import UUID

from sqlalchemy.orm import Session

from scrapers.urls import ShortLinks
from serving_api.auth.principals import Principal
from serving_api.errors import NotFound
from serving_api.kit.envelope import Page
from serving_api.kit.pagination import read_slice
from serving_api.kit.published import Published
from serving_api.kit.readme import replace_readme
from serving_api.resources.scrape_jobs import service as scrape_jobs
from serving_api.resources.videos import adding, presenter, repository, schemas
from warehouse.operational import models
from warehouse.operational.base import business_now
from warehouse.operational.dated import set_video_status
from warehouse.operational.session import WriteSession


def list_videos(
    caller: Principal, session: Session, numbers: Published, query: schemas.VideoQuery
) -> Page[schemas.Video]:
    """Return a page of the organization's videos, newest first."""
    statement = repository.filtered(caller.organization_id, query)
    keyset = repository.NEWEST_FIRST.of(caller.organization_id)
    found = read_slice(session, statement, keyset, query)
    return found.page(
        lambda rows: presenter.present(session, numbers, caller.organization_id, rows)
    )


def read_video(
    caller: Principal, session: Session, numbers: Published, video_id: UUID
) -> schemas.VideoDetail:
    """Return one video, excluded or not. Raises NotFound."""
    video = repository.find(session, caller.organization_id, video_id)
    if video is None:
        raise NotFound.named("Video")
    return presenter.present_detail(session, numbers, caller.organization_id, video)


def add(
    caller: Principal,
    session: WriteSession,
    numbers: Published,
    links: ShortLinks,
    *,
    project_id: UUID,
    body: schemas.NewVideo | schemas.VideoBatch,
) -> schemas.AddedVideos:
    """Track one or many posts by URL. Raises NotFound, and Unprocessable for a URL of no post."""
    wanted = body.videos if isinstance(body, schemas.VideoBatch) else [body]
    posts = adding.read_urls([video.url for video in wanted], links)
    added = adding.add(caller, session, project_id, posts)
    shown = presenter.present(session, numbers, caller.organization_id, added.videos)
    data = shown if isinstance(body, schemas.VideoBatch) else shown[0]
    return schemas.AddedVideos(data=data, meta=schemas.AddedMeta(existing_ids=added.existing_ids))


def change(
    caller: Principal,
    session: WriteSession,
    numbers: Published,
    video_id: UUID,
    changes: schemas.VideoChanges,
) -> schemas.VideoDetail:
    """Change a video. Raises NotFound and NotesTooLong."""
    video = _locked(caller, session, video_id)
    if changes.sends("title"):
        video.custom_title = changes.title
    if changes.sends("readme"):
        replace_readme(session, video, changes.readme)
    if changes.sends("tracking_status"):
        set_video_status(session, video, changes.tracking_status, business_now(session))
    session.flush()
    return presenter.present_detail(session, numbers, caller.organization_id, video)


def exclude(caller: Principal, session: WriteSession, video_id: UUID) -> schemas.ExcludedVideo:
    """Take a video out of everything; the row stays, and repeating it succeeds."""
    video = _locked(caller, session, video_id)
    set_video_status(session, video, "excluded", business_now(session))
    return schemas.ExcludedVideo(id=video.id, tracking_disabled=video.tracking_disabled)


def scrape(caller: Principal, session: WriteSession, video_id: UUID) -> schemas.VideoScrape:
    """Queue a look at a video's counters. Raises NotFound and RateLimitExceeded."""
    video = repository.find(session, caller.organization_id, video_id)
    if video is None:
        raise NotFound.named("Video")
    job = scrape_jobs.request_scrape(caller, session, job_type="video_stats", video=video)
    return schemas.VideoScrape(video_id=video.id, job_id=job.id)


def _locked(caller: Principal, session: WriteSession, video_id: UUID) -> models.Video:
    video = repository.lock(session, caller.organization_id, video_id)
    if video is None:
        raise NotFound.named("Video")
    return video
