"""`/desk/projects/{project_id}/settings/organization`: the logo, and restoring the project."""

from functools import partial
from uuid import UUID

from fastapi import Request, Response

from serving_api.desk.done import redirect
from serving_api.desk.entered import NOTHING, Entered, show_again
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import body_of
from serving_api.desk.once import Admin, ReadingAdmin
from serving_api.desk.routes import views
from serving_api.desk.settings.pages import SETTINGS, settings_page
from serving_api.files.signed_urls import Files
from serving_api.http.log_fields import audit_event_of
from serving_api.kit.request_context import RequestContext
from serving_api.page_forms import file_of, takes_file
from serving_api.resources.organization import logos, projects

ORGANIZATION = f"{SETTINGS}/organization"

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


@router.post(f"{ORGANIZATION}/project", dependencies=[views])
def restore_project(
    request: Request, context: Admin, project_id: UUID, fields: OwnFields
) -> Response:
    """Restore the archived project, if the plan has room for it."""
    show_again(request, fields, (), partial(_page, request, context))
    changes = body_of(projects.ProjectChanges, is_archived=False)
    projects.change(context, context.organization_id, project_id, changes)
    return redirect(ORGANIZATION.format(project_id=project_id), "Project active again.")


def _page(request: Request, context: RequestContext, entered: Entered) -> Response:
    return settings_page(
        request,
        context,
        "desk_organization.html",
        "Organization",
        shows_pictures=True,
        logo=logos.address_of(request.state.scope.logo_path),
        entered=entered,
    )
