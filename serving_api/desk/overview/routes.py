"""`/desk/projects/{project_id}`: the overview."""

from typing import Annotated
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import Request, Response

from serving_api.auth.dependencies import reads
from serving_api.desk.cookies import PATH
from serving_api.desk.entry import Entry, desk_router
from serving_api.desk.outlook import WHY_NOT
from serving_api.desk.overview.content import overview_of
from serving_api.desk.periods import PeriodSent, period_of
from serving_api.desk.post_pages.pictures import pictures_of
from serving_api.desk.post_pages.sources import sources_of
from serving_api.desk.project_pages import project_page
from serving_api.desk.routes import views
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.accruals.summary import dollars

router = desk_router()


@router.get(f"{PATH}/projects/{{project_id}}", dependencies=[views])
def show_overview(
    request: Request,
    context: Annotated[RequestContext, reads(Entry("read"))],
    project_id: UUID,
    sent: PeriodSent,
) -> Response:
    """Show a project's results and open tasks."""
    overview = overview_of(context, project_id, period_of(context, sent))
    return project_page(
        request,
        "desk_overview.html",
        "Overview",
        draws_charts=True,
        shows_pictures=True,
        period=overview.period,
        content=overview,
        pictures=pictures_of(context, [post.entity.id for post in overview.posts]),
        sources=sources_of(context, [post.entity.id for post in overview.posts]),
        zone=ZoneInfo(context.marts_zone),
        dollars=dollars,
        why_not=WHY_NOT,
    )
