"""`/desk/projects/{project_id}/settings/organization`: the logo that people outside see."""

from functools import partial
from uuid import UUID

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from serving_api.desk.entered import NOTHING, Entered, show_again
from serving_api.desk.entry import SEE_OTHER, OwnFields, desk_router
from serving_api.desk.once import ReadingAdmin
from serving_api.desk.routes import views
from serving_api.desk.settings.pages import SETTINGS, settings_page
from serving_api.files.dependency import Files
from serving_api.http.audit import audit_event_of
from serving_api.kit.request_context import RequestContext
from serving_api.page_forms import file_of, takes_file
from serving_api.resources.organization import logos

ORGANIZATION = f"{SETTINGS}/organization"

router = desk_router()


@router.get(ORGANIZATION, dependencies=[views])
def show_organization(request: Request, context: ReadingAdmin) -> Response:
    """Show the organization's logo, and the form that uploads another one."""
    return _page(request, context, NOTHING)


@router.post(ORGANIZATION, dependencies=[views])
@takes_file
def change_logo(
    request: Request, context: ReadingAdmin, files: Files, project_id: UUID, fields: OwnFields
) -> Response:
    """Keep an uploaded logo in place of the one before, or remove that.

    Sent twice, the last one stays: no number of the form is needed for that.
    """
    show_again(request, fields, (logos.FIELD,), partial(_page, request, context))
    content = None if "remove" in fields else file_of(request, logos.FIELD)
    logos.replace(context, files, content, audit_event_of(request))
    return RedirectResponse(ORGANIZATION.format(project_id=project_id), SEE_OTHER)


def _page(request: Request, context: RequestContext, entered: Entered) -> Response:
    return settings_page(
        request,
        context,
        "desk_organization.html",
        "Organization",
        shows_pictures=True,
        logo=logos.address_of(request.state.scope.logo_path),
        entered=entered,
        status=entered.status,
    )
