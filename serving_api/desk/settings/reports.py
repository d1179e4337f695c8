"""`/desk/projects/{project_id}/settings/reports`: reports for outsiders, opened with a PIN."""

from dataclasses import replace
from uuid import UUID

from fastapi import Request, Response

from serving_api.desk.body_forms import BodyForm, Field
from serving_api.desk.choices import campaign_choices
from serving_api.desk.done import redirect
from serving_api.desk.entered import Entered
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import body_of, chosen_in, pin_in
from serving_api.desk.once import AdminReader, AdminWriter
from serving_api.desk.routes import views
from serving_api.desk.settings.pages import SETTINGS, FormPage, settings_page
from serving_api.kit.pagination import PageQuery
from serving_api.kit.request_context import RequestContext
from serving_api.resources.programs import reports
from serving_api.resources.programs.reports import NewReport

REPORTS = f"{SETTINGS}/reports"
NEW = f"{REPORTS}/new"
PAGE = FormPage(
    "Reports",
    "Share a report",
    "Share report",
    BodyForm(
        NewReport,
        Field("campaign_id", "Report on"),
        Field("show_creators", "Show the creators with the most views", value="yes"),
        Field("expires_at", "Expiry date", "Leave empty for no expiry."),
        Field("pin", "Custom PIN", "4 digits. Leave empty for a random PIN.", read=pin_in, most=4),
    ),
    "The report shows views, posts and engagement of the last 28 days or other dates, no amounts."
    " The link stops working if you leave the organization.",
)


router = desk_router()


@router.get(REPORTS, dependencies=[views])
def show_reports(request: Request, context: AdminReader, project_id: UUID) -> Response:
    query = PageQuery(limit=reports.MOST_REPORTS)
    return settings_page(
        request,
        context,
        "desk_reports.html",
        "Reports",
        reports=reports.list_reports(context=context, project_id=project_id, query=query).data,
        campaigns=campaign_choices(context, project_id),
    )


@router.post(REPORTS, dependencies=[views])
def revoke_report(context: AdminWriter, project_id: UUID, fields: OwnFields) -> Response:
    """Close a report permanently."""
    _, [report_id, *_] = chosen_in(fields, ["revoke"])
    reports.revoke(context, report_id)
    return redirect(REPORTS.format(project_id=project_id), "Report closed.")


@router.get(NEW, dependencies=[views])
def show_new_report(
    request: Request, context: AdminReader, project_id: UUID, campaign_id: UUID | None = None
) -> Response:
    """Show the form of a report, on a campaign if the query has one."""
    page = _page(context, project_id, campaign_id)
    filled = page.form.filled(NewReport(campaign_id=campaign_id))
    return page.show(request, context, Entered(filled, {}))


@router.post(NEW, dependencies=[views])
def share_report(
    *,
    request: Request,
    context: AdminWriter,
    project_id: UUID,
    fields: OwnFields,
    campaign_id: UUID | None = None,
) -> Response:
    """Create a report, and show its link and PIN once."""
    page = _page(context, project_id, campaign_id)
    page.show_again(request, context, fields)
    body = page.form.read(fields, context.caller.analytics_tz)
    made = reports.create(context, project_id, body_of(NewReport, **body))
    return settings_page(request, context, "desk_report_made.html", "Reports", made=made)


def _page(context: RequestContext, project_id: UUID, campaign_id: UUID | None) -> FormPage:
    """Return the page of a new report on the latest campaigns or this one. Raises NotFound."""
    campaigns = {"": "Whole project", **campaign_choices(context, project_id, campaign_id)}
    return replace(PAGE, form=PAGE.form.offering(campaign_id=campaigns))
