"""Asking for messages: one that tests an endpoint, and those that are to be sent once more."""

from uuid import UUID

from serving_api.errors import Conflict, NotFound
from serving_api.kit.errand import WriteErrand
from serving_api.resources.organization.webhooks import repository, schemas, service
from warehouse.ids import uuid7
from warehouse.operational.base import business_now
from warehouse.operational.models import WebhookDelivery, WebhookEndpoint
from warehouse.webhooks.event import TEST, Event
from warehouse.webhooks.log import record, send_again


def send_test(errand: WriteErrand, endpoint_id: UUID) -> schemas.WebhookDelivery:
    """Queue a message to this endpoint alone, whatever it asks for. Raises NotFound, Conflict."""
    endpoint = _enabled(errand, endpoint_id)
    test = Event(
        organization_id=errand.organization_id,
        type=TEST,
        entity_type="webhook_endpoint",
        entity_id=str(endpoint.id),
        state=str(uuid7()),
        occurred_at=business_now(errand.session),
        data={"webhook_endpoint_id": str(endpoint.id)},
    )
    record(errand.session, [test], only=endpoint)
    delivery = errand.session.get_one(WebhookDelivery, (endpoint.id, test.id))
    [shown] = service.present(errand.session, errand.organization_id, [delivery])
    return shown


def redeliver(
    errand: WriteErrand, endpoint_id: UUID, body: schemas.Redelivery
) -> schemas.Redelivered:
    """Queue events to be sent once more. Raises NotFound, also for events, and Conflict."""
    endpoint = _enabled(errand, endpoint_id)
    if body.since is not None:
        wanted = errand.session.scalars(repository.not_arrived(endpoint, body.since)).all()
    else:
        wanted = _known(errand, body.event_ids or [])
    return schemas.Redelivered(queued=send_again(errand.session, endpoint, wanted))


def _enabled(errand: WriteErrand, endpoint_id: UUID) -> WebhookEndpoint:
    endpoint = repository.lock(errand.session, errand.organization_id, endpoint_id)
    if not endpoint.is_enabled:
        raise Conflict("The webhook endpoint is disabled", reason="webhook_endpoint_disabled")
    return endpoint


def _known(errand: WriteErrand, event_ids: list[UUID]) -> list[UUID]:
    known = repository.types_of(errand.session, errand.organization_id, event_ids)
    absent = [str(one) for one in event_ids if one not in known]
    if absent:
        raise NotFound("No such events in the organization's log", event_ids=[*absent])
    return list(known)
