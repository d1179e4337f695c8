"""`/desk/projects/{project_id}/creators`: the list, the rankings, and one creator."""

from typing import Any, Final, Literal, get_args
from urllib.parse import urlencode
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import Request, Response
from pydantic import Field

from scrapers.urls import profile_url
from serving_api.desk.choices import campaign_choices, rule_choices
from serving_api.desk.creator_pages.content import one_creator
from serving_api.desk.creator_pages.listing import ListedCreator, column_values, listed_creators
from serving_api.desk.creator_pages.ticked import before_assigning, change_ticked
from serving_api.desk.done import redirect
from serving_api.desk.entered import (
    NOTHING,
    TICKED,
    Entered,
    ShowForm,
    show_again,
    with_ticks,
)
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import FormQuery, chosen_in, search_of
from serving_api.desk.once import Reader, Writer
from serving_api.desk.payouts import listing as payouts
from serving_api.desk.periods import Period, PeriodQuery, PeriodSent, period_of
from serving_api.desk.post_pages.rows import pictures_of, words_of
from serving_api.desk.project_pages import FILES, project_page
from serving_api.desk.rankings import RankingQuery, ranking_file, ranking_of
from serving_api.desk.routes import views
from serving_api.desk.rules.words import PERIODS
from serving_api.desk.sessions import PATH
from serving_api.desk.settings.goal_chart import METRICS, STATUS_LABELS
from serving_api.desk.sorting import (
    Column,
    Position,
    SortedTable,
    is_file,
    page_or_file,
)
from serving_api.desk.view_charts import OUTLOOKS
from serving_api.kit.envelope import Page
from serving_api.kit.request_context import RequestContext
from serving_api.kit.schemas import Params, Platform
from serving_api.resources.analytics.leaderboards import service as leaderboards
from serving_api.resources.analytics.leaderboards.schemas import CreatorBoardQuery
from serving_api.resources.programs.tags.names import MAX_LENGTH
from serving_api.resources.tracking.creators import service as creators
from serving_api.resources.tracking.creators.by_column import CreatorColumn, read_by_column
from serving_api.resources.tracking.creators.schemas import Creator, CreatorQuery
from warehouse.platforms import PLATFORM_NAMES

ON_A_PAGE = 50
CREATORS = f"{PATH}/projects/{{project_id}}/creators"


class View(Position, FormQuery):
    platform: Platform | None = None
    search: str = Field(default="", max_length=200)
    tag: str = Field(default="", max_length=MAX_LENGTH)
    ticked: str = ""
    rule_id: UUID | None = None

    def query(self, project_id: UUID) -> CreatorQuery:
        return CreatorQuery(
            project_id=project_id,
            platform=self.platform,
            search=search_of(self.search),
            tags=search_of(self.tag.replace(",", " ")),  # one tag
            cursor=self.cursor,
            limit=ON_A_PAGE,
        )


CREATOR_COLUMNS: Final[tuple[Column[ListedCreator], ...]] = (
    Column("id", None, lambda row: row.creator.id),
    Column("name", "Creator", lambda row: row.name),
    Column("handle", None, lambda row: row.creator.handle),
    Column("followers", "Followers", lambda row: row.creator.follower_count, is_number=True),
    Column(
        "posts_tracked",
        "Posts tracked",
        lambda row: row.creator.tracked_post_count,
        is_number=True,
    ),
    Column("posts_to_review", None, lambda row: row.creator.pending_review_count),
    Column("views_gained", "Views gained", lambda row: row.views, is_number=True),
    Column("owed_cents", "Owed", lambda row: row.owed_cents, is_number=True),
)

router = desk_router()


@router.get(CREATORS, dependencies=[views])
def show_creators(
    request: Request, context: Reader, project_id: UUID, view: Params[View], sent: PeriodSent
) -> Response:
    """Show creators, newest first or in the order of a header.

    Filters are platform, name or handle, and tag.
    """
    if is_file(request):
        period = period_of(context, sent)
        page = _creators(context, page_or_file(request, view.query(project_id)), view, period)
        rows = listed_creators(context, project_id, period, page.data)
        return SortedTable(request, CREATOR_COLUMNS, rows, is_sorted=True).file("creators")
    entered = NOTHING
    if view.ticked and view.rule_id and context.caller.is_org_admin:
        entered = before_assigning(context, project_id, view.rule_id, view.ticked)
    return _list(request, context, project_id, view, sent)(entered)


@router.post(CREATORS, dependencies=[views])
def change_creators(
    *,
    request: Request,
    context: Writer,
    project_id: UUID,
    fields: OwnFields,
    view: Params[View],
    sent: PeriodSent,
) -> Response:
    """Add the ticked creators to a campaign, a rule or a tag, or remove them, all or none."""
    show_list = _list(request, context, project_id, view, sent)

    def show(entered: Entered) -> Response:
        if entered.sentence:
            chosen = chosen_in(fields, ("rule",))[1]
            return with_ticks(request, chosen, rule_id=entered.get("rule_id"))
        return show_list(entered)

    show_again(request, fields, ("campaign_id", "rule_id", "tag"), show)
    words = change_ticked(context, project_id, fields)
    sent_query = request.query_params.multi_items()
    query = urlencode([each for each in sent_query if each[0] not in (TICKED, "rule_id")])
    return redirect(f"{request.url.path}?{query}".rstrip("?"), words)


def _list(
    request: Request, context: RequestContext, project_id: UUID, view: View, sent: PeriodQuery
) -> ShowForm:
    period = period_of(context, sent)
    page = _creators(context, view.query(project_id), view, period)
    listed = listed_creators(context, project_id, period, page.data)
    is_admin = context.caller.is_org_admin
    values: dict[str, Any] = {
        "listed": listed,
        "filters": view.model_dump(include={"platform", "search", "tag"}, exclude_defaults=True),
        "table": SortedTable(request, CREATOR_COLUMNS, listed, is_sorted=True),
        "pager": view.pager(page.meta, ON_A_PAGE),
        "platforms": PLATFORM_NAMES,
        "period": period,
        "campaigns": campaign_choices(context, project_id),
        "rules": rule_choices(context, project_id, is_active=True) if is_admin else {},
        "zone": ZoneInfo(context.marts_zone),
        "is_admin": is_admin,
    }

    def show(entered: Entered) -> Response:
        return project_page(request, "desk_creators.html", "Creators", entered=entered, **values)

    return show


def _creators(
    context: RequestContext, query: CreatorQuery, position: Position, period: Period
) -> Page[Creator]:
    """Return a page of creators. Raises InvalidCursor."""
    name, descending = position.sort.removeprefix("-"), position.sort.startswith("-")
    column = next((each for each in get_args(CreatorColumn) if each == name), None)
    if column is None and query.project_id:
        column = column_values(context, query.project_id, period, name)
    if column is None:
        return creators.list_creators(context, query)
    return read_by_column(context, query, column, descending=descending, offset=position.offset)


@router.get(f"{CREATORS}/ranked", dependencies=[views])
def show_ranked_creators(
    *,
    request: Request,
    context: Reader,
    project_id: UUID,
    sent: PeriodSent,
    query: Params[RankingQuery],
    metric: Literal["views", "likes", "comments", "shares", "video_count"] = "views",
) -> Response:
    period = period_of(context, sent)
    scope = {"project_id": project_id, "metric": metric, **query.scope, **period.span}
    board = leaderboards.rank_creators(
        context,
        page_or_file(request, CreatorBoardQuery(**scope)),
        while_tracked=True,
        lowest_first=query.order == "lowest",
    )
    if sent.format == "csv":
        return ranking_file("creators", board)
    return project_page(
        request,
        "desk_creators_ranked.html",
        "Creators",
        period=period,
        ranking=ranking_of(
            context, project_id, query=query, period=period, board=board, metric=metric
        ),
        platforms=PLATFORM_NAMES,
    )


@router.get(f"{CREATORS}/{{creator_id}}", dependencies=[views])
def show_creator(
    request: Request, context: Reader, project_id: UUID, creator_id: UUID, sent: PeriodSent
) -> Response:
    period = period_of(context, sent)
    content = one_creator(context, project_id, creator_id, period)
    return project_page(
        request,
        "desk_creator.html",
        "Creators",
        shows_pictures=True,
        draws_charts=True,
        asks_us=bool(content.first_check and content.first_check.waits),
        progress_script=FILES.address_of("progress.js"),
        period=period,
        content=content,
        words_of=words_of,
        profile_url=profile_url,
        pictures=pictures_of(context, [post.id for post in content.posts]),
        platforms=PLATFORM_NAMES,
        zone=ZoneInfo(context.marts_zone),
        outlooks=OUTLOOKS,
        metrics=METRICS,
        periods=PERIODS,
        status_labels=STATUS_LABELS,
        payout_status_labels=payouts.STATUS_LABELS,
        may_pay=context.caller.is_org_admin,
    )
