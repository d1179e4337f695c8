"""`/desk/projects/{project_id}/settings/reports`: reports for outsiders, opened with a PIN."""

from collections.abc import Mapping
from functools import partial
from uuid import UUID

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from serving_api.desk.campaign_choices import campaign_choices
from serving_api.desk.entered import NOTHING, Entered, show_again
from serving_api.desk.entry import SEE_OTHER, OwnFields, desk_router
from serving_api.desk.forms import body_of, chosen_in, end_of_day_in, pin_in
from serving_api.desk.once import AdminReader, AdminWriter
from serving_api.desk.routes import views
from serving_api.desk.settings.pages import SETTINGS, settings_page
from serving_api.kit.pagination import PageQuery
from serving_api.kit.request_context import RequestContext
from serving_api.resources.programs.reports import service as reports
from serving_api.resources.programs.reports.schemas import NewReport

REPORTS = f"{SETTINGS}/reports"
NEW = f"{REPORTS}/new"


router = desk_router()


@router.get(REPORTS, dependencies=[views])
def show_reports(request: Request, context: AdminReader, project_id: UUID) -> Response:
    """Show a project's reports, newest first."""
    query = PageQuery(limit=reports.MOST_REPORTS)
    return settings_page(
        request,
        context,
        "desk_reports.html",
        "Reports",
        reports=reports.list_reports(context, project_id, query).data,
        campaigns=campaign_choices(context, project_id),
    )


@router.post(REPORTS, dependencies=[views])
def revoke_report(context: AdminWriter, project_id: UUID, fields: OwnFields) -> Response:
    """Close a report permanently."""
    _, [report_id, *_] = chosen_in(fields, ["revoke"])
    reports.revoke(context, report_id)
    return RedirectResponse(REPORTS.format(project_id=project_id), SEE_OTHER)


@router.get(NEW, dependencies=[views])
def show_new_report(request: Request, context: AdminReader, project_id: UUID) -> Response:
    return _form(request, context, campaign_choices(context, project_id), NOTHING)


@router.post(NEW, dependencies=[views])
def share_report(
    request: Request, context: AdminWriter, project_id: UUID, fields: OwnFields
) -> Response:
    """Create a report, and show its link and PIN once."""
    names = ("campaign_id", "show_creators", "expires_at", "pin")
    listed = campaign_choices(context, project_id)
    show_again(request, fields, names, partial(_form, request, context, listed))
    made = reports.create(context, project_id, _body(context, fields))
    return settings_page(request, context, "desk_report_made.html", "Reports", made=made)


def _body(context: RequestContext, fields: Mapping[str, str]) -> NewReport:
    """Return the form's report, open through its expiry date. Raises InvalidBody."""
    return body_of(
        NewReport,
        campaign_id=fields.get("campaign_id") or None,
        show_creators="show_creators" in fields,
        expires_at=end_of_day_in(fields, "expires_at", context.caller.analytics_tz),
        pin=pin_in(fields, "pin"),
    )


def _form(
    request: Request, context: RequestContext, listed: Mapping[str, str], entered: Entered
) -> Response:
    return settings_page(
        request,
        context,
        "desk_report_new.html",
        "Reports",
        choices={"": "Whole project", **listed},
        entered=entered,
        status=entered.status,
    )
