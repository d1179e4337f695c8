"""`/desk/projects/{project_id}/rule-lab`: simulate another rule or a new structure."""

from functools import partial
from uuid import UUID

from fastapi import Request, Response

from serving_api.desk.choices import names_of
from serving_api.desk.entered import Entered, show_again
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.once import Reader
from serving_api.desk.periods import PeriodQuery, period_of
from serving_api.desk.project_pages import project_page
from serving_api.desk.routes import views
from serving_api.desk.rule_lab.requests import (
    Tried,
    number_words,
    numbers_of,
    search_in,
    trial_in,
    tried_in,
)
from serving_api.desk.rules.forms import KINDS, entered_of, kind_in
from serving_api.desk.rules.words import in_one_line
from serving_api.desk.sessions import PATH
from serving_api.desk.settings.structures import structure_in
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.simulations import searching
from serving_api.resources.payouts.simulations import service as simulations
from serving_api.resources.payouts.simulations.schemas import Asked, Searched, Simulated
from serving_api.resources.payouts.structures import service as structures
from serving_api.resources.payouts.structures.schemas import StructureQuery

MOST_LISTED = 100
WHOM = "None: creators selected below, or all assigned ones"
WHOM_OF_NEW = "None: creators selected below"
RULE_LAB = f"{PATH}/projects/{{project_id}}/rule-lab"
NEW = f"{RULE_LAB}/new"
TRIAL = f"{RULE_LAB}/{{structure_id}}"


router = desk_router()


@router.get(RULE_LAB, dependencies=[views])
def show_rules(request: Request, context: Reader, project_id: UUID) -> Response:
    query = StructureQuery(project_id=project_id, is_active=True, limit=MOST_LISTED)
    listed = structures.list_structures(context, query).data
    return project_page(
        request,
        "desk_rule_lab.html",
        "Rule lab",
        structures=listed,
        in_one_line=in_one_line,
        kinds=KINDS,
    )


@router.get(NEW, dependencies=[views])
def show_new_trial(
    request: Request, context: Reader, project_id: UUID, kind: str = "cpm"
) -> Response:
    criteria_type = kind_in({"kind": kind})
    tried = tried_in(context, project_id, None, criteria_type, {})
    return trial_page(request, tried, Entered(_latest_days(context), {}))


@router.post(NEW, dependencies=[views])
def try_structure(
    request: Request, context: Reader, project_id: UUID, fields: OwnFields
) -> Response:
    """Show what a new structure would have paid, or the number that fits a budget."""
    tried = tried_in(context, project_id, None, kind_in(fields), fields)
    return _answer(request, context, tried, fields)


@router.get(TRIAL, dependencies=[views])
def show_trial(request: Request, context: Reader, project_id: UUID, structure_id: UUID) -> Response:
    """Show the simulation form, filled in with the current rule."""
    structure = structure_in(context, project_id, structure_id)
    rule = entered_of(structure)
    tried = tried_in(context, project_id, structure, structure.criteria_type, rule)
    return trial_page(request, tried, Entered({**rule, **_latest_days(context)}, {}))


@router.post(TRIAL, dependencies=[views])
def try_rule(
    request: Request, context: Reader, project_id: UUID, structure_id: UUID, fields: OwnFields
) -> Response:
    """Compare a rule with the current one, or find the number that fits a budget."""
    structure = structure_in(context, project_id, structure_id)
    tried = tried_in(context, project_id, structure, structure.criteria_type, fields)
    return _answer(request, context, tried, fields)


def _latest_days(context: RequestContext) -> dict[str, str]:
    span = period_of(context, PeriodQuery()).span
    return {name: day.isoformat() for name, day in span.items()}


def _answer(
    request: Request, context: RequestContext, tried: Tried, fields: dict[str, str]
) -> Response:
    """Run the simulation or search; a creator search only shows the form again."""
    show_again(request, fields, tried.names(), partial(trial_page, request, tried))
    outcome: Simulated | Searched | None
    has_other_search = fields.get("search", "") != fields.get("searched", "")
    if "find" in fields or ("enter" in fields and has_other_search):
        return trial_page(request, tried, Entered(fields, {}))
    if "try" in fields or "enter" in fields:
        outcome = simulations.simulated(context, trial_in(Asked, context, tried, fields))
    else:
        searched = simulations.searched(context, search_in(context, tried, fields))
        if "csv" in fields:
            return searching.sheet_of(searched)
        outcome = searched
    creators = names_of(
        context, {creator.creator_id for creator in outcome.creators} if outcome else ()
    )
    results = {"results": outcome, "creators": creators, "was_run": True}
    return trial_page(request, tried, Entered(fields, {}), **results)


def trial_page(request: Request, tried: Tried, entered: Entered, **results: object) -> Response:
    """Return the form with the entered values, and results above it."""
    values = {"results": None, "creators": {}, "was_run": False, **results}
    return project_page(
        request,
        "desk_trial.html",
        "Rule lab",
        tried=tried,
        campaigns={"": WHOM if tried.structure else WHOM_OF_NEW, **tried.campaigns},
        numbers=numbers_of(tried.offers.kind, tried.offers.rows),
        number_words=number_words,
        entered=entered,
        **values,
    )
