"""`/desk/projects/{project_id}/settings/webhooks`: webhook endpoints and deliveries."""

from typing import Any
from uuid import UUID

from fastapi import Request, Response

from serving_api.desk.body_forms import BodyForm, Field
from serving_api.desk.done import redirect
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import body_of, chosen_in
from serving_api.desk.once import Admin, ReadingAdmin
from serving_api.desk.routes import views
from serving_api.desk.settings.pages import SETTINGS, FormPage, settings_page
from serving_api.kit.pagination import PageQuery
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import lock_own
from serving_api.resources.organization.webhooks import service as webhooks
from serving_api.resources.organization.webhooks.schemas import (
    NewWebhookEndpoint,
    WebhookDeliveryQuery,
    WebhookEndpointChanges,
)
from serving_api.resources.organization.webhooks.service import MOST_ENDPOINTS
from warehouse.operational.models import WebhookEndpoint
from warehouse.webhooks.event import MEANS

ON_A_PAGE = 25
WEBHOOKS = f"{SETTINGS}/webhooks"
NEW_WEBHOOK = f"{WEBHOOKS}/new"
ONE = f"{WEBHOOKS}/{{endpoint_id}}"
ACTIONS = ("test", "enable", "disable", "delete")
PAGE = FormPage(
    "Webhooks",
    "Add a webhook",
    "Add webhook",
    BodyForm(
        NewWebhookEndpoint,
        Field("url", "URL", "An https URL that is reachable from the internet."),
        Field("description", "Name"),
        Field(
            "event_types",
            "Events",
            "Select none to receive all events, including future ones.",
            choices={event_type: means.replace("`", "") for event_type, means in MEANS.items()},
        ),
    ),
)

router = desk_router()


@router.get(WEBHOOKS, dependencies=[views])
def show_webhooks(request: Request, context: ReadingAdmin) -> Response:
    endpoints = webhooks.list_endpoints(context, PageQuery(limit=MOST_ENDPOINTS))
    return _page(request, context, "desk_webhooks.html", endpoints=endpoints.data)


@router.post(WEBHOOKS, dependencies=[views])
def change_webhook(context: Admin, project_id: UUID, fields: OwnFields) -> Response:
    action, [endpoint_id, *_] = chosen_in(fields, ACTIONS)
    back = WEBHOOKS.format(project_id=project_id)
    words = "Test event sent." if action == "test" else f"Webhook {action}d."
    undo = {"disable": "enable", "enable": "disable"}.get(action)
    if action == "test":
        webhooks.send_test(context, endpoint_id)
        back = f"{back}/{endpoint_id}"
    elif action == "delete":
        webhooks.delete(context, endpoint_id)
    else:
        endpoint = lock_own(context, WebhookEndpoint, endpoint_id, "Webhook endpoint")
        changes = body_of(WebhookEndpointChanges, is_enabled=action == "enable")
        if endpoint.is_enabled == changes.is_enabled:
            undo, words = None, f"The webhook was already {action}d."
        webhooks.change(context, endpoint_id, changes)
    return redirect(back, words, undo, [endpoint_id])


@router.get(NEW_WEBHOOK, dependencies=[views])
def show_new_webhook(request: Request, context: ReadingAdmin) -> Response:
    return PAGE.show(request, context)


@router.post(NEW_WEBHOOK, dependencies=[views])
def make_webhook(request: Request, context: Admin, fields: OwnFields) -> Response:
    """Create a webhook, and show its signing secret once."""
    PAGE.show_again(request, context, fields)
    made = webhooks.create(context, body_of(NewWebhookEndpoint, **PAGE.form.read(fields)))
    return _page(request, context, "desk_webhook_made.html", made=made)


@router.get(ONE, dependencies=[views])
def show_deliveries(
    request: Request, context: ReadingAdmin, endpoint_id: UUID, cursor: str | None = None
) -> Response:
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


def _page(request: Request, context: RequestContext, template: str, **values: Any) -> Response:
    return settings_page(request, context, template, "Webhooks", **values)
