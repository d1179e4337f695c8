"""`/desk/projects/{project_id}/rule-lab/simulations`: background simulations.

A page reloads itself only on request.
"""

from functools import partial
from typing import Annotated, Literal
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import Depends, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel

from serving_api.desk.choices import names_of
from serving_api.desk.entered import show_again
from serving_api.desk.entry import SEE_OTHER, Entry, OwnFields, desk_router
from serving_api.desk.once import Reader, Writer
from serving_api.desk.project_pages import project_page
from serving_api.desk.routes import views
from serving_api.desk.rule_lab.requests import STATUSES, Tried, trial_in, tried_in
from serving_api.desk.rule_lab.routes import NEW, RULE_LAB, TRIAL, trial_page
from serving_api.desk.rules.forms import kind_in
from serving_api.desk.settings.structures import structure_in
from serving_api.errors import InvalidRequest, NotFound
from serving_api.http.sessions import ReadDbs
from serving_api.kit.principals import Principal
from serving_api.kit.request_context import WriteContext
from serving_api.kit.schemas import Params
from serving_api.resources.payouts.accruals.summary import dollars
from serving_api.resources.payouts.simulation_jobs import schemas, service
from serving_api.resources.payouts.simulation_jobs.service import sheet_of

ON_A_PAGE = 50
AGAIN = 10
"""Seconds between automatic reloads."""
ONE = f"{RULE_LAB}/simulations/{{simulation_id}}"

Caller = Annotated[Principal, Depends(Entry("read"))]


class ResultView(BaseModel):
    """The shown part of the results, and whether the page reloads itself."""

    by: Literal["creator", "period"] = "creator"
    cursor: str | None = None
    again: bool = False


router = desk_router()


@router.post(f"{NEW}/simulations", dependencies=[views])
def begin_with_new(
    request: Request, context: Writer, project_id: UUID, fields: OwnFields
) -> Response:
    """Simulate a new structure in the background."""
    tried = tried_in(context, project_id, None, kind_in(fields), fields)
    return _begin(request, context, tried, fields)


@router.post(f"{TRIAL}/simulations", dependencies=[views])
def begin_with_rule(
    request: Request, context: Writer, project_id: UUID, structure_id: UUID, fields: OwnFields
) -> Response:
    """Simulate another rule of a structure in the background."""
    structure = structure_in(context, project_id, structure_id)
    tried = tried_in(context, project_id, structure, structure.criteria_type, fields)
    return _begin(request, context, tried, fields)


@router.get(ONE, dependencies=[views])
def show_simulation(
    request: Request,
    context: Reader,
    project_id: UUID,
    simulation_id: UUID,
    view: Params[ResultView],
) -> Response:
    """Show a simulation's progress, and a page of its results."""
    whose = (context.session, context.organization_id, simulation_id)
    simulation = _of_project(service.read_simulation(*whose), project_id)
    query = schemas.ResultQuery(by=view.by, cursor=view.cursor, limit=ON_A_PAGE)
    is_done = simulation.status == "succeeded"
    result_page = service.page_of_result(*whose, query) if is_done else None
    response = project_page(
        request,
        "desk_simulation.html",
        "Rule lab",
        simulation=simulation,
        status_words=STATUSES,
        view=view,
        again=AGAIN,
        results=result_page,
        creators=names_of(
            context, {row.creator_id for row in result_page.data} if result_page else ()
        ),
        zone=ZoneInfo(context.caller.analytics_tz),
        dollars=dollars,
    )
    if view.again and simulation.finished_at is None:
        response.headers["Refresh"] = str(AGAIN)
    return response


@router.get(f"{ONE}/csv", dependencies=[views])
def send_simulation(
    caller: Caller,
    sessions: ReadDbs,
    project_id: UUID,
    simulation_id: UUID,
    by: Literal["creator", "period", "video"] = "creator",
) -> Response:
    """Send all results as CSV."""
    with sessions() as session:
        simulation = service.read_simulation(session, caller.organization_id, simulation_id)
    _of_project(simulation, project_id)
    return sheet_of(sessions, caller.organization_id, simulation_id, by)


@router.post(ONE, dependencies=[views])
def delete_simulation(
    context: Writer, project_id: UUID, simulation_id: UUID, fields: OwnFields
) -> Response:
    """Cancel a simulation, or delete its results."""
    simulation = service.read_simulation(context.session, context.organization_id, simulation_id)
    _of_project(simulation, project_id)
    if "delete" not in fields:
        raise InvalidRequest("Press Cancel or Delete")
    service.delete(context, simulation_id)
    return RedirectResponse(RULE_LAB.format(project_id=project_id), SEE_OTHER)


def _begin(
    request: Request, context: WriteContext, tried: Tried, fields: dict[str, str]
) -> Response:
    show_again(request, fields, tried.names(), partial(trial_page, request, tried))
    trial = trial_in(schemas.AskedAtLength, context, tried, fields)
    begun = service.create(context, trial)
    then = ONE.format(project_id=tried.project_id, simulation_id=begun.id)
    return RedirectResponse(then, SEE_OTHER)


def _of_project(simulation: schemas.PayoutSimulation, project_id: UUID) -> schemas.PayoutSimulation:
    if simulation.project_id != project_id:
        raise NotFound.named("Payout simulation")
    return simulation
