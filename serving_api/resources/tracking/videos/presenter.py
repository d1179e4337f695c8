"""Videos as answers: with counters of the publication and tags, titled, or sorted by a counter."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy.orm import Session

from serving_api.errors import InvalidRequest
from serving_api.kit.computed import pinned
from serving_api.kit.counters import as_of
from serving_api.kit.cursor import SEAL, BegunCursor, Seal
from serving_api.kit.days import day_in_words
from serving_api.kit.envelope import Page, PageMeta
from serving_api.kit.pagination import among
from serving_api.kit.readme import readme_version
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import from_row, rows_of
from serving_api.resources.programs.tags.items import Labels, labels_of
from serving_api.resources.tracking.videos import repository, schemas
from serving_api.resources.tracking.videos.schemas import Video, VideoQuery
from serving_api.resources.tracking.videos.tracking import why_off
from warehouse.operational import models
from warehouse.reading.sorted_videos import VideoCounter, VideosByCount
from warehouse.reading.sorted_videos import list_by_count as sorted_ids
from warehouse.reading.videos import VideoCounts, latest_counts
from warehouse.registration.posting_times import awaited_until

TITLE_LENGTH = 100

_COUNTERS = tuple(schemas.VideoCountersAsOf.model_fields)
_ALL_COUNTERS = tuple(schemas.AllCountersAsOf.model_fields)


def present(context: RequestContext, rows: Sequence[models.Video]) -> list[schemas.Video]:
    """Return videos as lists have them, by one query for all counters and one for all tags."""
    ids = [row.id for row in rows]
    counts = context.marts.look_up(latest_counts, context.organization_id, ids)
    labels = labels_of(context.session, context.organization_id, ids)
    return [_listed(row, counts.get(row.id), labels) for row in rows]


def present_detail(context: RequestContext, row: models.Video) -> schemas.VideoDetail:
    known = context.marts.look_up(latest_counts, context.organization_id, [row.id]).get(row.id)
    labels = labels_of(context.session, context.organization_id, [row.id])
    return from_row(
        schemas.VideoDetail,
        row,
        **_shared(row, known, labels, _ALL_COUNTERS),
        posted_at_awaited_until=awaited_until(row),
        counters_as_of=schemas.AllCountersAsOf(**as_of(known, _ALL_COUNTERS)),
        tracking_disabled=why_off(row) is not None,
        tracking_disabled_reason=why_off(row),
        readme_version=readme_version(row.readme),
    )


def _title_of(row: models.Video) -> str | None:
    """Return the custom title, or else for TikTok the first line of the caption."""
    if row.custom_title is not None or row.platform != "tiktok":
        return row.custom_title
    return first_line(row.caption)


def first_line(caption: str | None) -> str | None:
    """Return a caption's first line, shortened, or None if it is empty."""
    lines = (caption or "").strip().splitlines()
    return lines[0].strip()[:TITLE_LENGTH] if lines else None


def _listed(row: models.Video, known: VideoCounts | None, labels: Labels) -> schemas.Video:
    instants = schemas.VideoCountersAsOf(**as_of(known, _COUNTERS))
    shared = _shared(row, known, labels, _COUNTERS)
    return from_row(schemas.Video, row, **shared, counters_as_of=instants)


def _shared(
    row: models.Video, known: VideoCounts | None, labels: Labels, counters: Sequence[str]
) -> dict[str, Any]:
    return {
        **{name: getattr(known, name) if known else None for name in counters},
        "title": _title_of(row),
        "description": None,
        "tags": labels[row.id],
    }


NAMELESS = "Post without a caption"


def title_of(row: models.Video, nameless: str = NAMELESS) -> str:
    """Return the custom title, or else the first line of the caption."""
    return row.custom_title or first_line(row.caption) or nameless


def titles_of(
    session: Session,
    organization_id: UUID,
    video_ids: Collection[str],
    zone: ZoneInfo | None = None,
) -> Mapping[str, str]:
    """Return titles by id; with a zone, those that repeat have the time of posting."""
    ids = [UUID(video_id) for video_id in video_ids]
    named = rows_of(models.Video, organization_id).where(among(models.Video.id, ids))
    titles = {row: title_of(row) for row in session.scalars(named)}
    number = Counter(titles.values())
    return {
        str(row.id): _dated(title, row.posted_at, zone) if zone and number[title] > 1 else title
        for row, title in titles.items()
    }


def _dated(title: str, posted_at: datetime | None, zone: ZoneInfo) -> str:
    at = posted_at and posted_at.astimezone(zone)
    return f"{title}, {day_in_words(at)}, {at:%H:%M}" if at else title


MOST_MATCHES = 10_000
"""Limit of posts that match filters of PostgreSQL."""


COUNTER_OF: Mapping[str, VideoCounter] = {"view_count": "view", "like_count": "like"}
"""By `sort`."""


def list_by_count(
    context: RequestContext,
    query: VideoQuery,
    counter: VideoCounter,
    *,
    campaign_id: UUID | None = None,
    highest_first: bool = True,
) -> Page[Video]:
    """Return a page of the publication's videos sorted by a counter, unknown counts last.

    Later pages read the first one's publication, after the last row's count and id: filters of
    PostgreSQL may by then match other videos. Raises InvalidCursor and InvalidRequest.
    """
    order = f"{counter}s, {'highest' if highest_first else 'lowest'} first"
    listing = f"videos by {order}/{context.organization_id}"
    seal: Seal = context.session.info[SEAL]
    begun = BegunCursor.decode(query.cursor, listing, seal) if query.cursor is not None else None
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
        after_key=begun.rank if begun else None,
        after_id=begun.id if begun else None,
    )
    marts = pinned(context.marts, begun.publication_id) if begun else context.marts.pinned()
    with marts as numbers:
        with numbers.cursor() as cursor:
            keys = sorted_ids(cursor, by_count) if cursor else []
        ids = [video_id for video_id, _ in keys[: query.limit]]
        statement = repository.filtered(context.session, context.organization_id, query)
        rows = {
            row.id: row
            for row in context.session.scalars(statement.where(among(models.Video.id, ids)))
        }
        page: Page[Video] = Page(
            data=present(
                replace(context, marts=numbers), [rows[one] for one in ids if one in rows]
            ),
            meta=PageMeta(hasMore=len(keys) > query.limit, nextCursor=None),
        )
        if page.meta.hasMore:
            last_id, key = keys[query.limit - 1]
            now = context.now
            last = BegunCursor(now, key, now, last_id, numbers.publication_id())
            page.meta.nextCursor = last.encode(listing, seal)
    return page


_IN_POSTGRESQL = (
    *("search", "tags", "account_id", "content_group_id", "updated_since"),
    "posted_from",
)
"""Filters that are unknown to the marts."""


def _matching(context: RequestContext, query: VideoQuery) -> str | None:
    """Return the ids that match the filters that only PostgreSQL knows, or None without one."""
    if all(getattr(query, name, None) is None for name in _IN_POSTGRESQL):
        return None
    statement = repository.filtered(context.session, context.organization_id, query)
    ids = context.session.scalars(
        statement.with_only_columns(models.Video.id).limit(MOST_MATCHES + 1)
    ).all()
    if len(ids) > MOST_MATCHES:
        raise InvalidRequest(
            f"More than {MOST_MATCHES:,} posts match. Narrow the filters to sort them by a count."
        )
    return ",".join(map(str, ids)) or str(context.organization_id)
