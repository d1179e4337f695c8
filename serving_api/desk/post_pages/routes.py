"""`/desk/projects/{project_id}/posts`: the list, the rankings, and one post."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import Request, Response

from serving_api.desk.choices import campaign_choices, names_of
from serving_api.desk.comment_words import DELAYS, FEELINGS, SIGNALS
from serving_api.desk.entry import desk_router
from serving_api.desk.forms import FormQuery
from serving_api.desk.once import Reader
from serving_api.desk.periods import PeriodQuery, PeriodSent, period_of
from serving_api.desk.post_pages.content import one_post
from serving_api.desk.post_pages.rows import (
    FALLING_COLUMNS,
    POST_COLUMNS,
    RISING_COLUMNS,
    comparisons_of,
    pictures_of,
    rising_posts,
    sources_of,
    words_of,
)
from serving_api.desk.project_pages import project_page
from serving_api.desk.rankings import RankingQuery, ranking_file, ranking_of
from serving_api.desk.routes import views
from serving_api.desk.sessions import PATH
from serving_api.desk.sorting import Position, SortedTable, page_or_file
from serving_api.desk.tiles import post_tiles
from serving_api.kit.envelope import Page
from serving_api.kit.request_context import RequestContext
from serving_api.kit.schemas import Params, Platform, Search
from serving_api.resources.analytics.leaderboards import service as leaderboards
from serving_api.resources.analytics.leaderboards.schemas import VideoBoardQuery, VideoMetric
from serving_api.resources.programs.program_health import loading
from serving_api.resources.tracking import inbox
from serving_api.resources.tracking.videos import service as videos
from serving_api.resources.tracking.videos.presenter import list_by_count, titles_of
from serving_api.resources.tracking.videos.schemas import PostedQuery, Video, VideoQuery
from warehouse.platforms import PLATFORM_NAMES
from warehouse.reading.sorted_videos import VideoCounter
from warehouse.reading.videos import LEAST_VIEWS, MOST_RISING, RISING_DAYS, TAKES_OFF

ON_A_PAGE = 50
LATEST = PeriodQuery.model_validate({"period": str(RISING_DAYS)})
POSTS = f"{PATH}/projects/{{project_id}}/posts"


class Filters(FormQuery):
    """Filters of the list."""

    platform: Platform | None = None
    creator: UUID | None = None
    campaign: UUID | None = None
    search: Search | None = None


COUNTERS: Final[Mapping[str, VideoCounter]] = {"views": "view", "likes": "like"}

router = desk_router()


@router.get(POSTS, dependencies=[views])
def show_posts(
    *,
    request: Request,
    context: Reader,
    project_id: UUID,
    filters: Params[Filters],
    position: Params[Position],
    sent: PeriodSent,
) -> Response:
    """Show posts, of all dates or posted in a period, newest first or in the order of a header.

    Rejected ones are left out.
    """
    period = period_of(context, sent, all_history=True)
    dates = {} if period.rejected.wrong else sent.address
    first, end = period.days.instants() if dates else (None, None)
    query = PostedQuery(
        posted_from=first,
        posted_before=end,
        project_id=project_id,
        platform=filters.platform,
        creator_id=filters.creator,
        search=filters.search,
        sort="posted_at",
        cursor=position.cursor,
        limit=ON_A_PAGE,
    )
    page = _posts(context, page_or_file(request, query), filters, position)
    if (table := SortedTable(request, POST_COLUMNS, page.data, is_sorted=True)).is_file:
        return table.file("posts")
    owners = {post.creator_id for post in page.data} | {filters.creator}
    return project_page(
        request,
        "desk_posts.html",
        "Posts",
        shows_pictures=True,
        posts=page.data,
        words_of=words_of,
        pictures=pictures_of(context, [post.id for post in page.data]),
        comparisons=comparisons_of(context, [post.id for post in page.data]),
        today=context.marts_today,
        creators=names_of(context, {owner for owner in owners if owner}),
        filters=filters.model_dump(mode="json", exclude_none=True),
        period=period,
        dates=dates,
        owner=filters.creator,
        is_by_count=position.sort.removeprefix("-") in COUNTERS,
        campaigns=campaign_choices(context, project_id, filters.campaign),
        table=table,
        platforms=PLATFORM_NAMES,
        pager=position.pager(page.meta, ON_A_PAGE),
        zone=ZoneInfo(context.marts_zone),
    )


def _posts(
    context: RequestContext, query: VideoQuery, filters: Filters, position: Position
) -> Page[Video]:
    """Return a page of posts. Raises InvalidCursor and InvalidRequest."""
    name = position.sort.removeprefix("-")
    if name not in COUNTERS:
        return videos.list_videos(
            context, query, campaign_id=filters.campaign, oldest_first=position.sort == "posted_at"
        )
    return list_by_count(
        context,
        query,
        COUNTERS[name],
        campaign_id=filters.campaign,
        highest_first=position.sort.startswith("-"),
    )


@router.get(f"{POSTS}/ranked", dependencies=[views])
def show_ranked_posts(
    *,
    request: Request,
    context: Reader,
    project_id: UUID,
    sent: PeriodSent,
    query: Params[RankingQuery],
    metric: VideoMetric = "views",
) -> Response:
    period = period_of(context, sent)
    scope = {"project_id": project_id, "metric": metric, **query.scope, **period.span}
    board = leaderboards.rank_videos(
        context,
        page_or_file(request, VideoBoardQuery(**scope)),
        while_tracked=True,
        lowest_first=query.order == "lowest",
    )
    if sent.format == "csv":
        return ranking_file("posts", board)
    return project_page(
        request,
        "desk_posts_ranked.html",
        "Posts",
        shows_pictures=True,
        period=period,
        dates={} if period.rejected.wrong else sent.address,
        totals=() if query.is_filtered else post_tiles(context, project_id, period),
        ranking=ranking_of(
            context, project_id, query=query, period=period, board=board, metric=metric
        ),
        waiting=inbox.count(context, project_id, inbox.InboxQuery(campaign_id=query.campaign)),
        pictures=pictures_of(context, [post.entity.id for post in board.data]),
        sources=sources_of(context, [post.entity.id for post in board.data]),
        platforms=PLATFORM_NAMES,
    )


@router.get(f"{POSTS}/falling", dependencies=[views])
def show_falling_posts(request: Request, context: Reader, project_id: UUID) -> Response:
    """Show posts losing momentum, as program health reports them."""
    posts = loading.view_drops(context, project_id)
    if (table := SortedTable(request, FALLING_COLUMNS, posts)).is_file:
        return table.file("falling-posts")
    return project_page(
        request,
        "desk_posts_falling.html",
        "Posts",
        shows_pictures=True,
        table=table,
        waiting=inbox.count(context, project_id),
        pictures=pictures_of(context, [post.video_id for post in posts]),
        sources=sources_of(context, [post.video_id for post in posts]),
    )


@router.get(f"{POSTS}/rising", dependencies=[views])
def show_rising_posts(
    request: Request, context: Reader, project_id: UUID, sent: PeriodSent
) -> Response:
    """Show posts that outperform their creators' others, of the last days or of a period."""
    period = period_of(context, sent if sent.address else LATEST, all_history=True)
    dates = {} if period.rejected.wrong else sent.address
    posts = rising_posts(context, project_id, period.days if sent.address else None)
    if (table := SortedTable(request, RISING_COLUMNS, posts)).is_file:
        return table.file("rising-posts")
    ids = [post.video_id for post in posts]
    return project_page(
        request,
        "desk_posts_rising.html",
        "Posts",
        shows_pictures=True,
        table=table,
        waiting=inbox.count(context, project_id),
        titles=titles_of(context.session, context.organization_id, set(map(str, ids))),
        pictures=pictures_of(context, ids),
        sources=sources_of(context, ids),
        rule={"times": TAKES_OFF, "views": LEAST_VIEWS, "most": MOST_RISING},
        period=period,
        dates=dates,
    )


@router.get(f"{POSTS}/{{video_id}}", dependencies=[views])
def show_post(
    request: Request, context: Reader, project_id: UUID, video_id: UUID, sent: PeriodSent
) -> Response:
    period = period_of(context, sent)
    return project_page(
        request,
        "desk_post.html",
        "Posts",
        shows_pictures=True,
        draws_charts=True,
        period=period,
        content=one_post(context, project_id, video_id, period),
        words_of=words_of,
        pictures=pictures_of(context, [video_id]),
        platforms=PLATFORM_NAMES,
        zone=ZoneInfo(context.marts_zone),
        signals=SIGNALS,
        feelings=FEELINGS,
        delays=DELAYS,
    )
