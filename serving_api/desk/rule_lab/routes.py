"""`/desk/projects/{project_id}/rule-lab`: what another rule of a structure would have paid."""

from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import Request, Response

from serving_api.auth.dependencies import reads
from serving_api.desk.cookies import PATH
from serving_api.desk.creators import names_of
from serving_api.desk.entered import Entered, show_again
from serving_api.desk.entry import Entry, OwnFields, desk_router
from serving_api.desk.project_pages import project_page
from serving_api.desk.routes import views
from serving_api.desk.rule_lab.asking import (
    DAYS,
    SOUGHT,
    number_words,
    numbers_of,
    search_in,
    trial_in,
)
from serving_api.desk.rules import forms as rule_forms
from serving_api.desk.rules.offers import Offers, offers_of
from serving_api.desk.rules.words import in_one_line
from serving_api.desk.settings.structures import structure_in
from serving_api.kit.errand import Errand
from serving_api.resources.payouts.accruals.summary import dollars
from serving_api.resources.payouts.simulations import searching
from serving_api.resources.payouts.simulations import service as simulations
from serving_api.resources.payouts.simulations.schemas import Searched, Simulated
from serving_api.resources.payouts.structures import service as structures
from serving_api.resources.payouts.structures.schemas import StructureDetail, StructureQuery
from serving_api.resources.programs.campaigns import service as campaigns
from serving_api.resources.programs.campaigns.schemas import CampaignQuery

MOST_LISTED = 100
RULE_LAB = f"{PATH}/projects/{{project_id}}/rule-lab"
TRIAL = f"{RULE_LAB}/{{structure_id}}"

Reader = Annotated[Errand, reads(Entry("read"))]

router = desk_router()


@router.get(RULE_LAB, dependencies=[views])
def show_rules(request: Request, errand: Reader, project_id: UUID) -> Response:
    """Show the structures of which another rule can be tried."""
    asked = StructureQuery(project_id=project_id, is_active=True, limit=MOST_LISTED)
    listed = structures.list_structures(errand, asked).data
    return project_page(
        request,
        "desk_rule_lab.html",
        "Rule lab",
        structures=listed,
        in_one_line=in_one_line,
    )


@router.get(TRIAL, dependencies=[views])
def show_trial(request: Request, errand: Reader, project_id: UUID, structure_id: UUID) -> Response:
    """Show the form of a trial, filled in with the rule in force."""
    structure = structure_in(errand, project_id, structure_id)
    rule = rule_forms.entered_of(structure)
    offers = offers_of(errand, project_id, structure.criteria_type, rule, structure)
    listed = _campaigns(errand, project_id)
    return _page(request, structure, offers, listed, Entered(rule, {}))


@router.post(TRIAL, dependencies=[views])
def try_rule(
    request: Request, errand: Reader, project_id: UUID, structure_id: UUID, fields: OwnFields
) -> Response:
    """Show what a rule would have paid beside what was paid, or which number meets a budget."""
    structure = structure_in(errand, project_id, structure_id)
    offers = offers_of(errand, project_id, structure.criteria_type, fields, structure)
    listed = _campaigns(errand, project_id)
    names = (*rule_forms.names_of(structure.criteria_type), *DAYS, *SOUGHT, "campaign_id")
    show_again(request, fields, names, partial(_page, request, structure, offers, listed))
    found: Simulated | Searched | None
    if "try" in fields:
        found = simulations.simulated(errand, trial_in(errand, structure_id, fields))
    else:
        searched = simulations.searched(errand, search_in(errand, structure_id, fields))
        if "csv" in fields:
            return searching.sheet_of(searched)
        found = searched
    creators = names_of(errand, {one.creator_id for one in found.creators} if found else ())
    shown = {"found": found, "creators": creators, "was_asked": True}
    return _page(request, structure, offers, listed, Entered(fields, {}), **shown)


def _campaigns(errand: Errand, project_id: UUID) -> dict[str, str]:
    asked = CampaignQuery(project_id=project_id, limit=MOST_LISTED)
    return {str(one.id): one.name for one in campaigns.list_campaigns(errand, asked).data}


def _page(
    request: Request,
    structure: StructureDetail,
    offers: Offers,
    listed: dict[str, str],
    entered: Entered,
    **shown: object,
) -> Response:
    values = {"found": None, "creators": {}, "was_asked": False, **shown}
    return project_page(
        request,
        "desk_trial.html",
        "Rule lab",
        structure=structure,
        in_one_line=in_one_line,
        campaigns={"": "Who is assigned", **listed},
        offers=offers,
        numbers=numbers_of(offers.kind, offers.rows),
        number_words=number_words,
        entered=entered,
        dollars=dollars,
        status=entered.status,
        **values,
    )
