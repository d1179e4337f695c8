"""Content of a report, read with the permissions of the member who shared it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy.orm import Session

from serving_api.desk.charts import ViewsChart
from serving_api.desk.periods import Period, PeriodQuery, period_of
from serving_api.desk.post_pages.sources import Source, sources_of
from serving_api.desk.project_scopes import ProjectScope, principal_at, project_scope_of
from serving_api.desk.view_charts import views_of, views_of_project
from serving_api.errors import NotFound
from serving_api.kit.published import Published
from serving_api.kit.request_context import RequestContext
from serving_api.kit.services import Services
from serving_api.resources.analytics.leaderboards import schemas as boards
from serving_api.resources.analytics.leaderboards import service as leaderboards
from serving_api.resources.programs.program_health import service as program_health
from serving_api.resources.programs.program_health.schemas import (
    HealthMeta,
    HealthQuery,
    ProgramHealth,
)
from warehouse.operational.models import ReportLink

TOP = 10


@dataclass(frozen=True, slots=True)
class Report:
    """A report. `creators` is None if they are not shown; then `sources` do not name them."""

    scope: ProjectScope
    period: Period
    health: ProgramHealth
    meta: HealthMeta
    views: ViewsChart
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
    """Return a report's content. Raises NotFound if its member lost access to the project."""
    context, scope = _context(session, numbers, services, link)
    period = period_of(context, sent)
    board_scope: dict[str, Any] = {"campaign_id": link.campaign_id}
    if link.campaign_id is None:
        board_scope = {"project_id": link.project_id}
    board: dict[str, Any] = {**board_scope, **period.span, "limit": TOP}
    health = program_health.read_health(
        context, link.project_id, HealthQuery(campaign_id=link.campaign_id)
    )
    creators = boards.CreatorBoardQuery(**board) if link.show_creators else None
    video_board = boards.VideoBoardQuery(**board)
    posts = leaderboards.rank_videos(context, video_board, while_tracked=True).data
    return Report(
        scope=scope,
        period=period,
        health=health.data,
        meta=health.meta,
        views=_views(context, link, period),
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
    return {post_id: replace(source, creator=None) for post_id, source in sources.items()}


def _views(context: RequestContext, link: ReportLink, period: Period) -> ViewsChart:
    if link.campaign_id is None:
        return views_of_project(context, link.project_id, period)
    return views_of(context, "campaign", link.campaign_id, period)


def _context(
    session: Session, numbers: Published, services: Services, link: ReportLink
) -> tuple[RequestContext, ProjectScope]:
    """Return a read context of the member who shared the report."""
    with services.store.statements() as connection:
        scope = project_scope_of(connection, link.shared_by_user_id, link.project_id)
    if scope is None:
        raise NotFound.named("Report")
    caller = replace(principal_at(scope, link.shared_by_user_id, "report"), granted=("read",))
    own = numbers.of(link.organization_id)
    return RequestContext(caller, session, own, services), scope
