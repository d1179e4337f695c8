"""Read, add, change, exclude and scrape videos (contract, Videos; decisions.md, Videos)."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from uuid import UUID

from scrapers.urls import PostUrl, ShortLinks, TooManyShortLinks, resolve_post_url, why_no_post
from serving_api.errors import InvalidRequest, Unprocessable
from serving_api.kit.envelope import Page
from serving_api.kit.pagination import read_slice
from serving_api.kit.readme import replace_readme
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import lock_own, require_own
from serving_api.resources.organization import organizations, projects
from serving_api.resources.programs.campaigns import repository as campaigns
from serving_api.resources.tracking import scrape_jobs
from serving_api.resources.tracking.accounts import repository as accounts
from serving_api.resources.tracking.videos import presenter, repository, schemas, tracking
from warehouse.ids import uuid7
from warehouse.operational import models
from warehouse.operational.dated import Owned, date_owners
from warehouse.operational.models import Account, Video, VideoStatus
from warehouse.scrape_jobs.queue import enqueue_all

ROUNDED = re.compile("[0-9]{15,}0000$")
"""A TikTok id of which a spreadsheet kept 15 digits. One in 10,000 ends so by itself."""
WAS_ROUNDED = "The id in the URL ends in 0000, rounded by a spreadsheet: give the app's short link"


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
        statement = statement.where(campaigns.has_post(context.organization_id, campaign_id))
    if query.sort not in repository.SORTED:
        return presenter.list_by_count(context, query, presenter.COUNTER_OF[query.sort])
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
    posts = read_urls([video.url for video in new_videos], links)
    added = track_posts(context, project_id, posts)
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


Post = tuple[str, str]
"""Platform and the platform's id of a post."""


@dataclass(frozen=True, slots=True)
class Added:
    """The videos in the order of the request, existing ids, and how many others were paused."""

    videos: list[Video]
    existing_ids: list[UUID]
    paused_count: int


def read_urls(urls: Sequence[str], links: ShortLinks) -> list[PostUrl]:
    """Parse the URLs of posts, without database access.

    Raises Unprocessable for a URL of no post; `meta.index` is its index in the request,
    `meta.reason` is `not_detectable` or `too_many_short_links`.
    """
    return [_post_of(url, index, links) for index, url in enumerate(urls)]


def track_posts(context: WriteContext, project_id: UUID, posts: Sequence[PostUrl]) -> Added:
    """Track posts in a project; new and previously excluded ones are scraped soon after.

    Raises NotFound for the project, and LimitReached if too few others can be paused.
    """
    organizations.lock(context.session, context.organization_id)
    projects.require(context.session, context.organization_id, project_id)
    post_by_key = {_key(post): post for post in posts}
    known = _known(context, project_id, post_by_key)
    excluded = [video for video in known.values() if video.tracking_status == "excluded"]
    unknown = [post for key, post in post_by_key.items() if key not in known]
    newcomers = tracking.set_status(context.session, excluded, "included")
    newcomers += _track(context, project_id, unknown)
    paused = tracking.make_room(context, newcomers)
    enqueue_all(context.session, [("video_stats", video) for video in newcomers])
    there = known | _by_post(newcomers)
    existing = [known[key].id for key in post_by_key if key in known]
    return Added([there[_key(post)] for post in posts], existing, paused)


def _post_of(url: str, index: int, links: ShortLinks) -> PostUrl:
    try:
        post = resolve_post_url(url, links)
    except TooManyShortLinks:
        raise _refused(
            "Too many short links in one request", "too_many_short_links", index
        ) from None
    if post is None:
        raise _refused(why_no_post(url), "not_detectable", index)
    rounded = ROUNDED.search(post.canonical_url)
    if rounded and rounded[0] in url:
        raise _refused(WAS_ROUNDED, "not_detectable", index)
    return post


def _refused(message: str, reason: str, index: int) -> Unprocessable:
    return Unprocessable(message, reason=reason, index=index)


def _key(post: PostUrl) -> Post:
    return post.platform, post.platform_video_id or ""


def _known(context: WriteContext, project_id: UUID, keys: Collection[Post]) -> dict[Post, Video]:
    return _by_post(
        repository.in_project(context.session, context.organization_id, project_id, keys)
    )


def _by_post(videos: Iterable[Video]) -> dict[Post, Video]:
    return {(video.platform, video.platform_video_id): video for video in videos}


def _track(context: WriteContext, project_id: UUID, posts: Sequence[PostUrl]) -> list[Video]:
    """Register posts, each with the account in its URL if that is tracked."""
    if not posts:
        return []
    now = context.now
    handles = {(post.platform, post.handle) for post in posts if post.handle}
    account_rows = accounts.tracked_in_project(
        context.session, context.organization_id, project_id, handles
    )
    owners = {(account.platform, account.handle): account for account in account_rows}
    videos = [
        _row(context, project_id, post, owners.get((post.platform, post.handle or "")))
        for post in posts
    ]
    context.session.add_all(videos)
    context.session.flush()
    context.session.add_all(_status(video, now) for video in videos)
    owned = [
        Owned(video.id, video.organization_id, video.account_id, video.creator_id)
        for video in videos
    ]
    date_owners(context.session, owned, now)
    return videos


def _row(context: WriteContext, project_id: UUID, post: PostUrl, owner: Account | None) -> Video:
    return Video(
        id=uuid7(),
        organization_id=context.organization_id,
        project_id=project_id,
        account_id=owner and owner.id,
        creator_id=owner and owner.creator_id,
        platform=post.platform,
        platform_video_id=post.platform_video_id,
        author_handle=post.handle,
        url=post.canonical_url,
        tracking_status="direct_add",
    )


def _status(video: Video, at: datetime) -> VideoStatus:
    """Return a new video's status row from an instant on (money.md M13)."""
    return VideoStatus(
        organization_id=video.organization_id,
        video_id=video.id,
        tracking_status=video.tracking_status,
        valid_from=at,
    )
