"""Content of a post's page, and why its views are unknown or older than its other counters."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from statistics import median
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from serving_api.charts.chart import Chart, Line
from serving_api.desk.charts import ViewsChart, with_events
from serving_api.desk.choices import names_of
from serving_api.desk.creator_pages.missing_numbers import accounts_without_numbers
from serving_api.desk.periods import Period
from serving_api.desk.view_charts import views_of
from serving_api.errors import NotFound
from serving_api.kit.days import ONE_DAY, retained_from
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import require_own
from serving_api.kit.schemas import EARLIEST_DAY
from serving_api.resources.analytics.series.schemas import AnalyticsQuery
from serving_api.resources.analytics.series.service import read_series
from serving_api.resources.comments.collected import listing
from serving_api.resources.comments.collected.schemas import (
    Comment,
    VideoComments,
    VideoCommentsQuery,
)
from serving_api.resources.programs.program_health.tracking import FRESH_PROFILE
from serving_api.resources.tracking.videos import service as videos
from serving_api.resources.tracking.videos.schemas import Video, VideoDetail, VideoQuery
from warehouse.operational.models import Account
from warehouse.platforms import PLATFORM_NAMES

NO_VIEWS = ("photo", "carousel")
"""Kinds of Instagram without views, as `views_due_from` of the models has them."""
TWELVE = (
    "Guests of Instagram see views of an account's twelve newest reels only: ask the creator to"
    " connect the account."
)


def why_unread(context: RequestContext, post: VideoDetail, account: Account | None) -> str:
    """Return the sentences, "" if the views are as recent as other counters."""
    counters = post.counters_as_of.model_dump()
    views_read_at = counters.pop("view_count")
    others_read_at = max(filter(None, counters.values()), default=None)
    if views_read_at:
        is_current = not others_read_at or others_read_at <= views_read_at + FRESH_PROFILE
        return "" if is_current else " ".join(_without_views(post))
    if post.platform == "instagram" and post.media_type in NO_VIEWS:
        return "Instagram counts no views of photos."
    if others_read_at:
        return " ".join(_without_views(post))
    return " ".join(_unchecked(context, post, account))


def _without_views(post: VideoDetail) -> Iterator[str]:
    yield "The latest checks read this post without its views."
    if post.platform == "instagram":
        yield TWELVE


def _unchecked(
    context: RequestContext, post: VideoDetail, account: Account | None
) -> Iterator[str]:
    is_removed = account is not None and not account.is_active
    if post.last_scraped_at:
        yield "Its numbers appear with the next run."
    elif post.tracking_disabled or post.plan_limit_paused_at or is_removed:
        yield "No check succeeded before its tracking ended."
    elif context.now - post.created_at < FRESH_PROFILE:
        yield "It waits for its first check."
    else:
        yield "No check of it succeeded yet: the platform refused, or the post is private or gone."
        yield from _of_account(context, account) if account else ()


def _of_account(context: RequestContext, account: Account) -> Iterator[str]:
    creator_id, platform = account.creator_id, PLATFORM_NAMES[account.platform]
    missing = accounts_without_numbers(context, account.project_id, [creator_id])
    for each in missing.get(creator_id, ()):
        if (each.platform, each.handle) == (platform, account.handle):
            yield f"{platform} @{account.handle}: {each.reason.text}. {each.reason.remedy}"


LATEST = 50
FEWEST = 3
"""A median of fewer posts is not meaningful."""


@dataclass(frozen=True, slots=True)
class Row:
    """A metric of the post, and the median of the others; rates are percentages of views."""

    label: str
    own: float | None
    usual: float | None
    is_rate: bool


def compared_with_others(context: RequestContext, post: VideoDetail) -> Sequence[Row]:
    """Return the metrics for which a median of the creator's latest posts is known."""
    if post.creator_id is None:
        return ()
    query = VideoQuery(
        project_id=post.project_id, creator_id=post.creator_id, sort="posted_at", limit=LATEST
    )
    others = [
        other
        for other in videos.list_videos(context, query).data
        if other.id != post.id and other.tracking_status != "pending_review"
    ]
    rows = []
    for label, own in _metrics(post).items():
        numbers = [_metrics(other)[label] for other in others]
        known = [number for number in numbers if number is not None]
        if len(known) >= FEWEST:
            rows.append(Row(label, own, median(known), is_rate=label != VIEWS))
    return rows


VIEWS = "Views"


def _metrics(post: Video) -> dict[str, float | None]:
    views = post.view_count

    def rate(number: int | None) -> float | None:
        return 100 * number / views if views and number is not None else None

    return {
        VIEWS: views,
        "Like rate": rate(post.like_count),
        "Comment rate": rate(post.comment_count),
        "Share rate": rate(post.share_count),
    }


LONGEST = timedelta(days=90)


def age_curve(context: RequestContext, post: VideoDetail) -> Chart | None:
    """Chart the total views at the end of each day since posting, for up to 90 days.

    It ends with the last day of the numbers on which views were read. None if no day is known or
    the first is outside the plan's retention.
    """
    whole_to, read_at = context.marts_whole_to, post.counters_as_of.view_count
    if post.posted_at is None or whole_to is None or read_at is None:
        return None
    zone = ZoneInfo(context.marts_zone)
    today, last = context.marts_today, min(whole_to + ONE_DAY, read_at.astimezone(zone).date())
    first = post.posted_at.astimezone(zone).date()
    first_retained = retained_from(context.caller.plan.tier_retention_days, today)
    if not max(first_retained or EARLIEST_DAY, EARLIEST_DAY) <= first <= min(last, today):
        return None
    query: dict[str, Any] = {"entity": "video", "entity_id": post.id, "metric": "views"}
    query |= {"from": first, "to": min(first + LONGEST, last, today), "tz": context.marts_zone}
    analytics_query = AnalyticsQuery(**query, mode="cumulative", hide_auto="1")
    [series] = read_series(context, analytics_query).data.series
    values = [point["value"] for point in series["points"]]
    ages, views = range(len(values)), Line("Views", values, "area")
    chart = Chart("Views by age", ages, [views], heading="Age in days")
    return None if chart.is_empty else chart


MOST = 50
"""Comments per list: flagged, and others."""


@dataclass(frozen=True, slots=True)
class PostComments:
    """A post's comments: flagged ones, then the newest others."""

    answer: VideoComments
    total: int
    flagged: Sequence[Comment]
    others: Sequence[Comment]


@dataclass(frozen=True, slots=True)
class OnePost:
    """A post's page. `ages` is None if unknown, `comments` if the plan has no comments.

    `is_reviewable`: its account was not removed. `unread`: why its views are unknown or old.
    """

    post: VideoDetail
    is_reviewable: bool
    unread: str
    creator: str | None
    views: ViewsChart
    ages: Chart | None
    comparison: Sequence[Row]
    comments: PostComments | None


def one_post(context: RequestContext, project_id: UUID, video_id: UUID, period: Period) -> OnePost:
    """Return the page of a project's post. Raises NotFound."""
    post = videos.read_video(context, video_id)
    if post.project_id != project_id:
        raise NotFound.named("Video")
    names = names_of(context, {post.creator_id} if post.creator_id else set())
    account = None
    if post.account_id:
        account = require_own(context, Account, post.account_id, "Account")
    has_comments = context.caller.plan.comment_insights_enabled
    return OnePost(
        post=post,
        is_reviewable=account is None or account.is_active,
        unread=why_unread(context, post, account),
        creator=names.get(post.creator_id) if post.creator_id else None,
        views=with_events(
            context, views_of(context, "video", video_id, period), "video", video_id, period
        ),
        ages=age_curve(context, post),
        comparison=compared_with_others(context, post),
        comments=_load_comments(context, video_id) if has_comments else None,
    )


def _load_comments(context: RequestContext, video_id: UUID) -> PostComments:
    newest = VideoCommentsQuery(sort="newest", limit=MOST)
    answer = listing.read_of_video(context, video_id, newest)
    flagged = listing.read_of_video(
        context, video_id, newest.model_copy(update={"signal": "flagged"})
    )
    first = {comment.id for comment in flagged.data.comments}
    return PostComments(
        answer=answer.data,
        total=answer.meta.total,
        flagged=flagged.data.comments,
        others=[comment for comment in answer.data.comments if comment.id not in first],
    )
