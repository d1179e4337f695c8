"""`/desk/projects/{project_id}/settings/webhooks`: webhook endpoints and deliveries."""

from collections.abc import Mapping
from functools import partial
from uuid import UUID

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from serving_api.desk.entered import NOTHING, Entered, show_again
from serving_api.desk.entry import SEE_OTHER, OwnFields, desk_router
from serving_api.desk.forms import body_of, chosen_in, text_of
from serving_api.desk.once import Admin, ReadingAdmin
from serving_api.desk.routes import views
from serving_api.desk.settings.pages import SETTINGS, settings_page
from serving_api.kit.pagination import PageQuery
from serving_api.kit.request_context import RequestContext
from serving_api.resources.organization.webhooks import sending
from serving_api.resources.organization.webhooks import service as webhooks
from serving_api.resources.organization.webhooks.schemas import (
    NewWebhookEndpoint,
    WebhookDeliveryQuery,
    WebhookEndpointChanges,
)
from serving_api.resources.organization.webhooks.service import MOST_ENDPOINTS
from warehouse.webhooks.event import EVENT_TYPES, MEANS

ON_A_PAGE = 25
WEBHOOKS = f"{SETTINGS}/webhooks"
NEW_WEBHOOK = f"{WEBHOOKS}/new"
ONE = f"{WEBHOOKS}/{{endpoint_id}}"
ACTIONS = ("test", "enable", "disable", "delete")

router = desk_router()


@router.get(WEBHOOKS, dependencies=[views])
def show_webhooks(request: Request, context: ReadingAdmin) -> Response:
    endpoints = webhooks.list_endpoints(context, PageQuery(limit=MOST_ENDPOINTS))
    return _page(request, context, "desk_webhooks.html", endpoints=endpoints.data)


@router.post(WEBHOOKS, dependencies=[views])
def change_webhook(context: Admin, project_id: UUID, fields: OwnFields) -> Response:
    """Test, enable, disable or delete a webhook."""
    action, [endpoint_id, *_] = chosen_in(fields, ACTIONS)
    back = WEBHOOKS.format(project_id=project_id)
    if action == "test":
        sending.send_test(context, endpoint_id)
        back = f"{back}/{endpoint_id}"
    elif action == "delete":
        webhooks.delete(context, endpoint_id)
    else:
        changes = body_of(WebhookEndpointChanges, is_enabled=action == "enable")
        webhooks.change(context, endpoint_id, changes)
    return RedirectResponse(back, SEE_OTHER)


@router.get(NEW_WEBHOOK, dependencies=[views])
def show_new_webhook(request: Request, context: ReadingAdmin) -> Response:
    return _form(request, context, NOTHING)


@router.post(NEW_WEBHOOK, dependencies=[views])
def make_webhook(request: Request, context: Admin, fields: OwnFields) -> Response:
    """Create a webhook, and show its signing secret once."""
    names = ("url", "event_types", "description")
    show_again(request, fields, names, partial(_form, request, context))
    made = webhooks.create(context, _body(fields))
    return _page(request, context, "desk_webhook_made.html", made=made)


@router.get(ONE, dependencies=[views])
def show_deliveries(
    request: Request, context: ReadingAdmin, endpoint_id: UUID, cursor: str | None = None
) -> Response:
    """Show a webhook's deliveries, newest first."""
    query = WebhookDeliveryQuery(limit=ON_A_PAGE, cursor=cursor)
    deliveries = webhooks.list_deliveries(context, endpoint_id, query)
    return _page(
        request,
        context,
        "desk_deliveries.html",
        endpoint=webhooks.read(context, endpoint_id),
        deliveries=deliveries.data,
        cursor=deliveries.meta.nextCursor,
    )


def _body(fields: Mapping[str, str]) -> NewWebhookEndpoint:
    """Return the form's webhook; no selection means all events, including future ones."""
    types = [event_type for event_type in EVENT_TYPES if f"event_types.{event_type}" in fields]
    return body_of(
        NewWebhookEndpoint,
        url=fields.get("url"),
        event_types=types or None,
        description=text_of(fields.get("description", "")),
    )


def _form(request: Request, context: RequestContext, entered: Entered) -> Response:
    return _page(
        request,
        context,
        "desk_webhook.html",
        entered=entered,
        means=MEANS,
        status=entered.status,
    )


def _page(request: Request, context: RequestContext, template: str, **values: object) -> Response:
    return settings_page(request, context, template, "Webhooks", **values)
