"""Webhook endpoints of the organization that were disabled automatically, and what to do."""

from collections.abc import Mapping
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.kit.rows import from_row
from serving_api.resources.organization.webhooks.repository import disabled_by_nobody
from serving_api.resources.programs.program_health.schemas import DisabledWebhook
from warehouse.operational.models import WebhookEndpoint

HAPPENED: Mapping[str, str] = {
    "gone": "The endpoint answered 410 Gone.",
    "failing": "The endpoint accepted no message for three days; its deliveries show the errors.",
}
WAY_OUT = (
    "An org admin can delete it, or fix the receiver, enable the endpoint again (PATCH"
    " /webhook-endpoints/{endpoint_id}) and resend the missed events (POST .../redeliver"
    " with `since`)."
)


def disabled_webhooks(session: Session, organization_id: UUID) -> list[DisabledWebhook]:
    """Return the endpoints that were disabled automatically, the latest first."""
    return [_present(endpoint) for endpoint in disabled_by_nobody(session, organization_id)]


def _present(endpoint: WebhookEndpoint) -> DisabledWebhook:
    detail = f"{HAPPENED[endpoint.disabled_reason or '']} {WAY_OUT}"
    return from_row(DisabledWebhook, endpoint, endpoint_id=endpoint.id, detail=detail)
