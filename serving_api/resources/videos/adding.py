"""Adding posts by URL (contract, Videos; decisions.md, Creators, accounts, videos)."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from scrapers.urls import PostUrl, ShortLinks, TooManyShortLinks, resolve_post_url
from serving_api.auth.principals import Principal
from serving_api.errors import Unprocessable
from serving_api.resources.accounts import repository as accounts
from serving_api.resources.projects import repository as projects
from serving_api.resources.videos import repository
from warehouse.operational.base import business_now
from warehouse.operational.dated import set_video_owner, set_video_status
from warehouse.operational.models import Account, Video
from warehouse.operational.session import WriteSession
from warehouse.scrape_jobs.queue import enqueue

Post = tuple[str, str]
"""Platform and the platform's id of a post."""


@dataclass(frozen=True, slots=True)
class Added:
    """The videos in the order of the request, and which of them were there before."""

    videos: list[Video]
    existing_ids: list[UUID]


def read_urls(urls: Sequence[str], links: ShortLinks) -> list[PostUrl]:
    """Return the posts that the URLs name. Makes no statement, but follows short links.

    Raises Unprocessable for a URL that names none; `meta.index` is its place in the request.
    """
    return [_post_of(url, index, links) for index, url in enumerate(urls)]


def add(
    caller: Principal, session: WriteSession, project_id: UUID, posts: Sequence[PostUrl]
) -> Added:
    """Track posts in a project; each one that is new, or was excluded, is scraped soon after.

    Raises NotFound for the project.
    """
    projects.lock(session, caller.organization_id, project_id)
    known = _known(caller, session, project_id, posts)
    existing = [video.id for video in known.values()]
    for video in known.values():
        if video.tracking_status == "excluded":
            set_video_status(session, video, "included", business_now(session))
            enqueue(session, job_type="video_stats", video=video)
    owners = _owners(caller, session, project_id, posts)
    for post in posts:
        if _key(post) not in known:
            owner = owners.get((post.platform, post.handle or ""))
            known[_key(post)] = _track(caller, session, project_id, post, owner)
    return Added([known[_key(post)] for post in posts], existing)


def _post_of(url: str, index: int, links: ShortLinks) -> PostUrl:
    try:
        post = resolve_post_url(url, links)
    except TooManyShortLinks:
        raise Unprocessable("Too many short links in one request", index=index) from None
    if post is None:
        raise Unprocessable("The URL names no post on a supported platform", index=index, url=url)
    return post


def _key(post: PostUrl) -> Post:
    return post.platform, post.platform_video_id or ""


def _known(
    caller: Principal, session: WriteSession, project_id: UUID, posts: Sequence[PostUrl]
) -> dict[Post, Video]:
    keys = {_key(post) for post in posts}
    found = repository.in_project(session, caller.organization_id, project_id, keys)
    return {(video.platform, video.platform_video_id): video for video in found}


def _owners(
    caller: Principal, session: WriteSession, project_id: UUID, posts: Sequence[PostUrl]
) -> dict[tuple[str, str], Account]:
    """Return the project's accounts that the URLs name, by platform and handle."""
    handles = {(post.platform, post.handle) for post in posts if post.handle}
    found = accounts.tracked_in_project(session, caller.organization_id, project_id, handles)
    return {(account.platform, account.handle): account for account in found}


def _track(
    caller: Principal,
    session: WriteSession,
    project_id: UUID,
    post: PostUrl,
    owner: Account | None,
) -> Video:
    now = business_now(session)
    video = Video(
        organization_id=caller.organization_id,
        project_id=project_id,
        platform=post.platform,
        platform_video_id=post.platform_video_id,
        url=post.canonical_url,
        tracking_status="direct_add",
    )
    session.add(video)
    session.flush()
    set_video_status(session, video, "direct_add", now)
    set_video_owner(session, video, owner, now)
    enqueue(session, job_type="video_stats", video=video)
    return video
