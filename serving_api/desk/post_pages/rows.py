"""Posts in lists: title, creator, platform, time and picture, which has a URL of its own."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import Annotated, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import Depends, Response

from serving_api.desk.choices import names_of
from serving_api.desk.entry import Entry, desk_router
from serving_api.desk.sessions import PATH
from serving_api.desk.sorting import Column
from serving_api.errors import NotFound
from serving_api.files.kinds import media_type_of
from serving_api.files.routes import HARMLESS
from serving_api.files.signed_urls import Files
from serving_api.http.sessions import BucketDbs
from serving_api.kit.days import DayRange
from serving_api.kit.principals import Principal
from serving_api.kit.request_context import RequestContext
from serving_api.rate_limit.allowances import allowance_by_address
from serving_api.resources.programs.program_health.schemas import ViewDrop
from serving_api.resources.tracking.videos import repository as videos
from serving_api.resources.tracking.videos import thumbnails
from serving_api.resources.tracking.videos.presenter import NAMELESS, TITLE_LENGTH, first_line
from serving_api.resources.tracking.videos.schemas import Video
from warehouse.platforms import PLATFORM_NAMES
from warehouse.reading.videos import (
    Comparison,
    RisingQuestion,
    RisingVideo,
    comparisons,
    rising_videos,
)

FALLING_COLUMNS: Final[tuple[Column[ViewDrop], ...]] = (
    Column("id", None, lambda post: post.video_id),
    Column("post", "Post", lambda post: post.label),
    Column("recent_views", "Last 3 days", lambda post: post.recent_views, is_number=True),
    Column("prior_views", "3 days before", lambda post: post.prior_views, is_number=True),
    Column("change_pct", "Change", lambda post: post.change_pct, is_number=True),
)
RISING_COLUMNS: Final[tuple[Column[RisingVideo], ...]] = (
    Column("id", None, lambda post: post.video_id),
    Column("posted_at", "Post", lambda post: post.posted_at),
    Column("views", "Views", lambda post: post.view_count, is_number=True),
    Column("times_median", "Times median", lambda post: post.times_median, is_number=True),
)


@dataclass(frozen=True, slots=True)
class Words:
    """A title, and the part of the caption not in it."""

    title: str
    rest: str


def words_of(post: Video) -> Words:
    """Return the post's own title, or the first line of the caption, cut between words."""
    caption = (post.caption or "").strip()
    if post.title and post.title != first_line(post.caption):
        return Words(post.title, caption)
    if not caption:
        return Words(NAMELESS, "")
    line = caption.splitlines()[0].strip()
    if len(line) <= TITLE_LENGTH:
        return Words(line, caption[len(line) :].strip())
    head = line[:TITLE_LENGTH].rpartition(" ")[0] or line[:TITLE_LENGTH]
    return Words(f"{head}…", f"…{caption[len(head) :].strip()}")


POST_COLUMNS: Final[tuple[Column[Video], ...]] = (
    Column("id", None, lambda post: post.id),
    Column("url", None, lambda post: post.url),
    Column("platform", None, lambda post: post.platform),
    Column("creator_id", None, lambda post: post.creator_id),
    Column("posted_at", "Post", lambda post: post.posted_at),
    Column("title", None, lambda post: words_of(post).title),
    Column("tracking_status", None, lambda post: post.tracking_status),
    Column("views", "Views", lambda post: post.view_count, is_number=True),
    Column("likes", "Likes", lambda post: post.like_count, is_number=True),
)


@dataclass(frozen=True, slots=True)
class Source:
    """A post's address, creator, platform, and time in the publication's time zone."""

    url: str | None
    creator: str | None
    platform: str
    posted_at: datetime | None


def sources_of(context: RequestContext, video_ids: Collection[UUID]) -> Mapping[UUID, Source]:
    rows = videos.among_ids(context.session, context.organization_id, video_ids)
    names = names_of(context, {row.creator_id for row in rows if row.creator_id})
    zone = ZoneInfo(context.marts_zone)
    return {
        row.id: Source(
            url=row.url,
            creator=names.get(row.creator_id) if row.creator_id else None,
            platform=PLATFORM_NAMES[row.platform],
            posted_at=row.posted_at.astimezone(zone) if row.posted_at else None,
        )
        for row in rows
    }


def comparisons_of(context: RequestContext, video_ids: Sequence[UUID]) -> Mapping[UUID, Comparison]:
    """Return how posts compare with their creators' others, as of the publication."""
    with context.marts.cursor() as cursor:
        return comparisons(cursor, context.organization_id, video_ids) if cursor else {}


def rising_posts(
    context: RequestContext, project_id: UUID, days: DayRange | None = None
) -> list[RisingVideo]:
    """Return a project's posts that outperform their creators' others, by default the latest."""
    question: RisingQuestion = (context.organization_id, project_id)
    if days:
        question = (*question[:2], days.from_day, days.to_day)
    rising = context.marts.cached(rising_videos, question, len)
    return rising[0] if rising else []


PICTURES_A_MINUTE = 6_000
"""A page shows 50, and an office may share one address."""
CACHE_HEADERS = {
    "Cache-Control": "private, max-age=86400, immutable",  # a new picture has a new URL
    "Content-Security-Policy": HARMLESS,
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}

pictures = Depends(allowance_by_address("deskPictures", PICTURES_A_MINUTE))

router = desk_router()


@router.get(f"{PATH}/projects/{{project_id}}/posts/{{video_id}}/picture", dependencies=[pictures])
def show_picture(
    caller: Annotated[Principal, Depends(Entry("read"))],
    sessions: BucketDbs,
    files: Files,
    project_id: UUID,
    video_id: UUID,
) -> Response:
    """Show a post's picture to members who can read the post."""
    with sessions() as session:
        path = thumbnails.path_of(session, caller.organization_id, video_id, project_id)
    content = files.read(path) if path else None
    if path is None or content is None:
        raise NotFound.named("Picture")
    return Response(content, media_type=media_type_of(path), headers=CACHE_HEADERS)


def pictures_of(context: RequestContext, video_ids: Collection[UUID]) -> Mapping[UUID, str]:
    """Return a version of each stored picture, for its URL."""
    paths = thumbnails.paths_of(context.session, context.organization_id, video_ids)
    return {video_id: PurePosixPath(path).stem[:16] for video_id, path in paths.items()}
