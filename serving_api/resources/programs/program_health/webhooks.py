"""Which of the organization's webhook endpoints are told of nothing any more, and what to do."""

from collections.abc import Mapping
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.resources.organization.webhooks.repository import disabled_by_nobody
from serving_api.resources.programs.program_health.schemas import DisabledWebhook
from warehouse.operational.models import WebhookEndpoint

HAPPENED: Mapping[str, str] = {
    "gone": "It answered 410: nothing is wanted there any more.",
    "failing": "It took nothing for three days; its deliveries say what it answered.",
}
WAY_OUT = (
    "An org admin deletes it, or mends what answers there, enables it again (PATCH"
    " /webhook-endpoints/{endpoint_id}) and has what happened meanwhile sent (POST .../redeliver"
    " with `since`)."
)


def disabled_webhooks(session: Session, organization_id: UUID) -> list[DisabledWebhook]:
    """Return the endpoints that nobody disabled, the latest first."""
    return [_present(endpoint) for endpoint in disabled_by_nobody(session, organization_id)]


def _present(endpoint: WebhookEndpoint) -> DisabledWebhook:
    columns = ("description", "disabled_reason", "disabled_at", "last_success_at")
    return DisabledWebhook.model_validate(
        {
            **{name: getattr(endpoint, name) for name in columns},
            "endpoint_id": endpoint.id,
            "detail": f"{HAPPENED[endpoint.disabled_reason or '']} {WAY_OUT}",
        }
    )
