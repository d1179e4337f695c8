"""`/desk/projects/{project_id}/settings/organization`: details, logo, restoring the project."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from uuid import UUID

from fastapi import Request, Response

from serving_api.desk.body_forms import BodyForm, Field
from serving_api.desk.done import redirect
from serving_api.desk.entered import NOTHING, Entered, merged, require_read, show_again
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import body_of
from serving_api.desk.once import Admin, ReadingAdmin
from serving_api.desk.routes import views
from serving_api.desk.settings.pages import SETTINGS, settings_page
from serving_api.files.signed_urls import Files
from serving_api.http.log_fields import audit_event_of
from serving_api.kit.request_context import RequestContext
from serving_api.page_forms import file_of, takes_file
from serving_api.resources.comments import settings as comment_settings
from serving_api.resources.comments.settings import CommentSettingsChanges
from serving_api.resources.organization import logos, organizations, projects
from serving_api.resources.organization.organizations import OrganizationChanges
from serving_api.resources.payouts.structures import service as structures
from serving_api.resources.payouts.structures.repository import names_in_other_zones
from serving_api.resources.payouts.structures.schemas import StructureQuery
from warehouse.zones import zones_by_city

ORGANIZATION = f"{SETTINGS}/organization"
FORM = BodyForm(
    OrganizationChanges,
    Field("name", "Name", "Reports, share pages and invitations show it."),
    Field(
        "analytics_tz",
        "Time zone",
        choices=zones_by_city(),
    ),
    Field(
        "payout_settling_days",
        "Settling days",
        "Amounts may still change for so many days after their period; then they can be approved."
        " From 0 to 30.",
        is_required=True,
    ),
)


def _terms_in(fields: Mapping[str, str], name: str) -> list[str]:
    return [term for term in map(str.strip, fields.get(name, "").split(",")) if term]


TERMS = BodyForm(
    CommentSettingsChanges,
    Field(
        "brand_terms",
        "Names of the brand",
        "Comments are searched for them. Separate them with commas. Leave empty for the"
        " organization's name.",
        read=_terms_in,
        most=3_000,
    ),
    Field("competitor_terms", "Names of competitors", read=_terms_in, most=3_000),
)
MOST_RULES = 100
MOST_NAMED = 5

router = desk_router()


@router.get(ORGANIZATION, dependencies=[views])
def show_organization(request: Request, context: ReadingAdmin) -> Response:
    """Show the logo and the form that uploads one."""
    return _page(request, context, NOTHING)


@router.post(ORGANIZATION, dependencies=[views])
@takes_file
def change_logo(
    request: Request, context: ReadingAdmin, files: Files, project_id: UUID, fields: OwnFields
) -> Response:
    """Replace or remove the logo.

    Idempotent without a form number: a repeated upload gives the same result.
    """
    show_again(request, fields, (logos.FIELD,), partial(_page, request, context))
    content = None if "remove" in fields else file_of(request, logos.FIELD)
    logos.replace(context, files, content, audit_event_of(request))
    words = "Logo removed." if content is None else "Logo saved."
    return redirect(ORGANIZATION.format(project_id=project_id), words)


@router.post(f"{ORGANIZATION}/details", dependencies=[views])
def change_details(
    request: Request, context: Admin, project_id: UUID, fields: OwnFields
) -> Response:
    """Change what was edited: the name, the time zone or the settling days."""
    show_again(request, fields, FORM.names, partial(_page, request, context))
    filled = FORM.filled(organizations.read(context))
    entered = merged(fields, filled)
    values = FORM.read(entered)
    if edited := {name: values[name] for name in values if entered[name] != filled[name]}:
        changes = body_of(OrganizationChanges, **edited)
        if "analytics_tz" in edited:
            require_read(fields, _zone_in_words(context, edited["analytics_tz"]))
        organizations.change(context, context.organization_id, changes)
    words = "Organization saved."
    if zone := edited.get("analytics_tz"):
        words += f" Zone: {zone}, from the next numbers on."
    return redirect(ORGANIZATION.format(project_id=project_id), words)


@router.post(f"{ORGANIZATION}/comments", dependencies=[views])
def change_terms(request: Request, context: Admin, project_id: UUID, fields: OwnFields) -> Response:
    """Change the names that comments are searched for."""
    show_again(request, fields, TERMS.names, partial(_page, request, context))
    entered = merged(fields, TERMS.filled(comment_settings.read(context)))
    changes = body_of(CommentSettingsChanges, **TERMS.read(entered))
    comment_settings.change(context, changes)
    return redirect(ORGANIZATION.format(project_id=project_id), "Names saved.")


@router.post(f"{ORGANIZATION}/project", dependencies=[views])
def restore_project(
    request: Request, context: Admin, project_id: UUID, fields: OwnFields
) -> Response:
    """Restore the archived project, if the plan has room for it."""
    show_again(request, fields, (), partial(_page, request, context))
    changes = body_of(projects.ProjectChanges, is_archived=False)
    projects.change(context, context.organization_id, project_id, changes)
    return redirect(ORGANIZATION.format(project_id=project_id), "Project active again.")


def _zone_in_words(context: RequestContext, zone: str) -> str:
    """Describe what a new zone changes, and which rules keep theirs (money.md M15)."""
    organization = organizations.require(context.session, context.organization_id)
    frozen = names_in_other_zones(context.session, organization, zone)
    names = f"{', '.join(frozen[:MOST_NAMED])}{' and others' if frozen[MOST_NAMED:] else ''}"
    return (
        f"From the next update on, days, weeks and months begin at midnight in {zone}, those before"
        " today too: numbers by day, goals and amounts in no payment may change. "
        + (
            f"All periods of {names} keep their zone: some of their amounts are in payments."
            if frozen
            else "No rule keeps another zone."
        )
        + f" To go back, choose {organization.analytics_tz} again."
    )


def _page(request: Request, context: RequestContext, entered: Entered) -> Response:
    filled = FORM.filled(organizations.read(context))
    terms = TERMS.filled(comment_settings.read(context))
    zone = context.caller.analytics_tz
    query = StructureQuery(project_id=request.state.scope.project_id, limit=MOST_RULES)
    rules = structures.list_structures(context, query, with_bonuses=False).data
    return settings_page(
        request,
        context,
        "desk_organization.html",
        "Organization",
        shows_pictures=True,
        logo=logos.address_of(request.state.scope.logo_path),
        entered=replace(entered, values={**filled, **terms, **entered.values}),
        form=FORM.offering(analytics_tz={zone: zone, **zones_by_city()}),
        seen=json.dumps(filled),
        terms=TERMS,
        seen_terms=json.dumps(terms),
        elsewhere=[rule for rule in rules if rule.timezone != zone],
    )
