"""`/desk/projects/{project_id}/health`: tracking problems, and connect links for creators."""

from typing import Annotated
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import Request, Response

from serving_api.auth.dependencies import reads
from serving_api.charts.chart import Chart, Line
from serving_api.connect_page.service import ConnectPage
from serving_api.desk.choices import names_of
from serving_api.desk.entry import Entry, OwnFields, desk_router
from serving_api.desk.forms import chosen_in
from serving_api.desk.health.content import health_of
from serving_api.desk.once import writes
from serving_api.desk.project_pages import project_page
from serving_api.desk.routes import views
from serving_api.desk.sessions import PATH
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.resources.programs.project_coverage import ProjectCoverage
from serving_api.resources.tracking.connections import service as connections
from warehouse.platforms import PLATFORM_NAMES

HEALTH = f"{PATH}/projects/{{project_id}}/health"

router = desk_router()


@router.get(HEALTH, dependencies=[views])
def show_health(
    request: Request, context: Annotated[RequestContext, reads(Entry("read"))], project_id: UUID
) -> Response:
    health = health_of(context, project_id)
    return project_page(
        request,
        "desk_health.html",
        "Health",
        draws_charts=True,
        content=health,
        checks=coverage_chart(health.coverage),
        connectable=set(context.services[ConnectPage].logins),
        zone=ZoneInfo(context.marts_zone),
        is_zone_new=context.is_zone_new,
    )


@router.post(f"{HEALTH}/connect-links", dependencies=[views])
def make_connect_link(
    request: Request, context: Annotated[WriteContext, writes(Entry("write"))], fields: OwnFields
) -> Response:
    """Create and show a connect link for a creator."""
    _, [creator_id, *_] = chosen_in(fields, ["creator_id"])
    link = connections.make_link(context, creator_id)
    return project_page(
        request,
        "desk_connect_link.html",
        "Health",
        link=link,
        creator=names_of(context, [creator_id])[creator_id],
        platforms=PLATFORM_NAMES,
    )


def coverage_chart(coverage: ProjectCoverage) -> Chart:
    """Chart the daily share of successful checks; the counts are only in the table."""
    shares = [None if day.share is None else round(100 * day.share, 2) for day in coverage.days]
    return Chart(
        "Successful checks by day",
        [day.day for day in coverage.days],
        [
            Line("Succeeded", shares, "bars", "percent"),
            Line("Checks", [day.readings_came for day in coverage.days], "aside"),
            Line("Planned", [day.readings_due for day in coverage.days], "aside"),
        ],
    )
