"""Send test messages, and resend events."""

from uuid import UUID

from serving_api.errors import Conflict, NotFound
from serving_api.kit.request_context import WriteContext
from serving_api.kit.rows import lock_own
from serving_api.resources.organization.webhooks import repository, schemas, service
from warehouse.ids import uuid7
from warehouse.operational.base import business_now
from warehouse.operational.models import WebhookDelivery, WebhookEndpoint
from warehouse.webhooks.event import TEST, Event
from warehouse.webhooks.log import record, send_again


def send_test(context: WriteContext, endpoint_id: UUID) -> schemas.WebhookDelivery:
    """Queue a test message to this endpoint, whatever its event types.

    Raises NotFound, Conflict.
    """
    endpoint = _enabled(context, endpoint_id)
    test = Event(
        organization_id=context.organization_id,
        type=TEST,
        entity_type="webhook_endpoint",
        entity_id=str(endpoint.id),
        state=str(uuid7()),
        occurred_at=business_now(context.session),
        data={"webhook_endpoint_id": str(endpoint.id)},
    )
    record(context.session, [test], only=endpoint)
    delivery = context.session.get_one(WebhookDelivery, (endpoint.id, test.id))
    [answer] = service.present(context.session, context.organization_id, [delivery])
    return answer


def redeliver(
    context: WriteContext, endpoint_id: UUID, body: schemas.Redelivery
) -> schemas.Redelivered:
    """Queue events to resend. Raises NotFound for the endpoint or events, and Conflict."""
    endpoint = _enabled(context, endpoint_id)
    if body.since is not None:
        event_ids = context.session.scalars(repository.not_arrived(endpoint, body.since)).all()
    else:
        event_ids = _known(context, body.event_ids or [])
    return schemas.Redelivered(queued=send_again(context.session, endpoint, event_ids))


def _enabled(context: WriteContext, endpoint_id: UUID) -> WebhookEndpoint:
    endpoint = lock_own(context, WebhookEndpoint, endpoint_id, "Webhook endpoint")
    if not endpoint.is_enabled:
        raise Conflict(
            "The webhook endpoint is disabled. Enable it first.", reason="webhook_endpoint_disabled"
        )
    service.end_pause(endpoint)
    return endpoint


def _known(context: WriteContext, event_ids: list[UUID]) -> list[UUID]:
    types = repository.types_of(context.session, context.organization_id, event_ids)
    absent = [str(event_id) for event_id in event_ids if event_id not in types]
    if absent:
        raise NotFound("Events not found in the log", event_ids=[*absent])
    return list(types)
