"""`/share/report/{report_id}`: the page of a report, opened with its link and PIN.

It shows what the services return to the member who shared it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import Request, Response
from sqlalchemy import Select, or_, select
from sqlalchemy.orm import Session, aliased

from serving_api.desk.charts import ViewsChart
from serving_api.desk.periods import Period, PeriodQuery, PeriodSent, period_of
from serving_api.desk.post_pages.rows import Source, sources_of
from serving_api.desk.project_scopes import ProjectScope, principal_at, project_scope_of
from serving_api.desk.rankings import views_gained
from serving_api.desk.tiles import engagement_of
from serving_api.desk.view_charts import views_of, views_of_project
from serving_api.errors import NotFound
from serving_api.kit.days import DayRangeQuery
from serving_api.kit.published import Published
from serving_api.kit.request_context import RequestContext
from serving_api.kit.services import Numbers, Services, services_of
from serving_api.page_forms import Fields
from serving_api.pages import page, page_router
from serving_api.resources.analytics.leaderboards import schemas as boards
from serving_api.resources.analytics.leaderboards import service as leaderboards
from serving_api.resources.analytics.project_views import find_views
from serving_api.resources.organization import logos
from serving_api.resources.programs.program_health import service as program_health
from serving_api.resources.programs.program_health.schemas import (
    HealthMeta,
    HealthQuery,
    ProgramHealth,
)
from serving_api.resources.programs.reports import PATH
from serving_api.share_page.links import id_of, known_of, try_pin
from serving_api.share_page.pins import ShareSessions, pin_form
from serving_api.share_page.routes import unlocks, views
from warehouse.clock import system_clock
from warehouse.operational.models import Member, Organization, ReportLink, User
from warehouse.operational.session import WriteSession

TOP = 10
MOST_DAYS = 90
"""The most days of totals."""


@dataclass(frozen=True, slots=True)
class Report:
    """A report. `creators` is None if they are not shown; then nothing else names them."""

    scope: ProjectScope
    period: Period
    health: ProgramHealth
    meta: HealthMeta
    views: ViewsChart
    engagement_rate: float | None
    creators: Sequence[boards.Place[boards.CreatorEntity]] | None
    posts: Sequence[boards.Place[boards.VideoEntity]]
    sources: Mapping[UUID, Source]
    zone: ZoneInfo

    @property
    def title(self) -> str:
        """The campaign's or project's name."""
        return self.health.campaign.name if self.health.campaign else self.scope.project_name


def report_of(
    session: Session, numbers: Published, services: Services, link: ReportLink, sent: PeriodQuery
) -> Report:
    """Return a report's content. Totals are of the last days, as many as the period has.

    Raises NotFound if its member lost access to the project.
    """
    context, scope = _context(session, numbers, services, link)
    period = period_of(context, sent)
    query = HealthQuery(campaign_id=link.campaign_id)
    days = min(period.days.days, MOST_DAYS)
    health = program_health.read_health(context, link.project_id, query, days=days)
    board_scope: dict[str, Any] = {"campaign_id": link.campaign_id}
    if link.campaign_id is None:
        board_scope = {"project_id": link.project_id}
    board: dict[str, Any] = {**board_scope, **period.span, "limit": TOP}
    creators = boards.CreatorBoardQuery(**board) if link.show_creators else None
    video_board = boards.VideoBoardQuery(**board)
    posts = leaderboards.rank_videos(context, video_board, while_tracked=True).data
    views = _views(context, link, period)
    return Report(
        scope=scope,
        period=period,
        health=health.data,
        meta=health.meta,
        views=views,
        engagement_rate=_engagement_rate(context, link, period, views),
        creators=leaderboards.rank_creators(context, creators, while_tracked=True).data
        if creators
        else None,
        posts=posts,
        sources=_sources(context, link, [post.entity.id for post in posts]),
        zone=ZoneInfo(context.marts_zone),
    )


def _sources(
    context: RequestContext, link: ReportLink, post_ids: Sequence[UUID]
) -> Mapping[UUID, Source]:
    sources = sources_of(context, post_ids)
    if link.show_creators:
        return sources
    # Addresses have the creator's handle, or lead to it.
    return {post_id: replace(source, url=None, creator=None) for post_id, source in sources.items()}


def _views(context: RequestContext, link: ReportLink, period: Period) -> ViewsChart:
    if link.campaign_id is None:
        return views_of_project(context, link.project_id, period)
    return views_of(context, "campaign", link.campaign_id, period)


def _engagement_rate(
    context: RequestContext, link: ReportLink, period: Period, views: ViewsChart
) -> float | None:
    """Return likes, comments, shares and saves in percent of views, all gained, as at the desk."""
    if link.campaign_id is None:
        _, daily, _ = find_views(context, link.project_id, DayRangeQuery(**period.span))
        return engagement_of(views, daily)[1]
    _, board = views_gained(
        context, link.project_id, period, "campaign", "engagement_rate_by_views"
    )
    return next((row.value for row in board.rows if row.entity_id == link.campaign_id), None)


def _context(
    session: Session, numbers: Published, services: Services, link: ReportLink
) -> tuple[RequestContext, ProjectScope]:
    with services.store.statements() as connection:
        scope = project_scope_of(connection, link.shared_by_user_id, link.project_id)
    if scope is None:
        raise NotFound.named("Report")
    caller = replace(principal_at(scope, link.shared_by_user_id, "report"), granted=("read",))
    own = numbers.of(link.organization_id)
    return RequestContext(caller, session, own, services), scope


def find_open(session: Session, report_id: str) -> ReportLink:
    """Return an open report's link. Raises NotFound."""
    return known_of(session.scalar(_open(report_id)))


def lock_open(session: WriteSession, report_id: str) -> ReportLink:
    """Return an open report's link, locked. Raises NotFound."""
    return known_of(session.scalar(_open(report_id).with_for_update(of=ReportLink)))


def _open(report_id: str) -> Select[ReportLink]:
    """Select a report that has not expired, and whose member and maker could still share it."""
    making, maker = aliased(Member), aliased(User)
    has_maker = (
        select(making.user_id)
        .join(maker, maker.id == making.user_id)
        .where(
            making.organization_id == ReportLink.organization_id,
            making.user_id == ReportLink.made_by_user_id,
            making.role == "admin",
            maker.is_banned.is_(False),
        )
    )
    return (
        select(ReportLink)
        .join(Organization, Organization.id == ReportLink.organization_id)
        .join(User, User.id == ReportLink.shared_by_user_id)
        .join(
            Member,
            (Member.organization_id == ReportLink.organization_id)
            & (Member.user_id == ReportLink.shared_by_user_id),
        )
        .where(
            ReportLink.id == id_of(report_id),
            or_(ReportLink.expires_at.is_(None), ReportLink.expires_at > system_clock()),
            User.is_banned.is_(False),
            or_(ReportLink.made_by_user_id.is_(None), has_maker.exists()),
            Organization.is_suspended.is_(False),
        )
    )


REPORT = f"{PATH}/{{report_id}}"

router = page_router()


@router.get(REPORT, dependencies=[views])
def show_report(request: Request, numbers: Numbers, report_id: str, sent: PeriodSent) -> Response:
    """Show a report after its PIN was entered, otherwise the PIN form."""
    services = services_of(request)
    with services.store.read_session() as session:
        link = find_open(session, report_id)
        if not services[ShareSessions].is_open(request, link):
            return pin_form(link, system_clock())
        report = report_of(session, numbers, services, link, sent)
    return page(
        "report.html",
        status=report.period.rejected.status,
        draws_charts=True,
        shows_pictures=True,
        content=report,
        logo=logos.address_of(report.scope.logo_path),
    )


@router.post(REPORT, dependencies=[unlocks])
def unlock_report(request: Request, report_id: str, fields: Fields) -> Response:
    """Check the PIN; wrong ones are counted."""
    return try_pin(request, partial(lock_open, report_id=report_id), fields.get("pin", ""))
