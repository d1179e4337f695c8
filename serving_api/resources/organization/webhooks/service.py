"""Manage webhook endpoints, read the log, send test messages and resend events.

`warehouse.webhooks` sends messages.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.errors import Conflict, InvalidBody, NotFound
from serving_api.kit.envelope import Deleted, Page
from serving_api.kit.pagination import PageQuery, read_slice
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import count_rows, from_row, lock_own, require_own, rows_of
from serving_api.resources.organization import organizations
from serving_api.resources.organization.members import repository as members
from serving_api.resources.organization.webhooks import repository, schemas
from warehouse.clock import system_clock
from warehouse.encryption import UnreadableSecretError
from warehouse.ids import uuid7
from warehouse.operational import models
from warehouse.operational.models import WebhookDelivery, WebhookEndpoint
from warehouse.webhooks.addresses import RefusedAddressError, checked_url
from warehouse.webhooks.event import TEST, Event
from warehouse.webhooks.log import record, send_again
from warehouse.webhooks.signing import PURPOSE, new_secret, secrets_of

MOST_ENDPOINTS = 10
OLD_SECRET_SIGNS = timedelta(hours=24)
MOST_OLD_SECRETS = 4


def list_endpoints(context: RequestContext, query: PageQuery) -> Page[schemas.WebhookEndpoint]:
    """Return a page of endpoints, newest first."""
    statement = rows_of(models.WebhookEndpoint, context.organization_id)
    keyset = repository.ENDPOINTS.of(context.organization_id)
    page_slice = read_slice(context.session, statement, keyset, query)
    return page_slice.page(lambda rows: [_present(row) for row in rows])


def read(context: RequestContext, endpoint_id: UUID) -> schemas.WebhookEndpoint:
    """Return an endpoint. Raises NotFound."""
    return _present(require_own(context, WebhookEndpoint, endpoint_id, "Webhook endpoint"))


def create(
    context: WriteContext, body: schemas.NewWebhookEndpoint
) -> schemas.SecretWebhookEndpoint:
    """Create an endpoint with a secret. Raises Conflict at the limit, and InvalidBody."""
    _require_admin_still(context)
    own = rows_of(models.WebhookEndpoint, context.organization_id)
    if count_rows(context.session, own) >= MOST_ENDPOINTS:
        raise Conflict(
            f"An organization can have at most {MOST_ENDPOINTS} webhook endpoints",
            reason="too_many_webhook_endpoints",
        )
    secret = new_secret()
    endpoint = models.WebhookEndpoint(
        organization_id=context.organization_id,
        url=_checked(context, body.url),
        description=body.description,
        event_types=body.event_types,
        secret_encrypted=context.services.encryption.encrypt(secret, PURPOSE),
        is_enabled=True,
    )
    context.session.add(endpoint)
    context.session.flush()
    return _with_secret(endpoint, secret)


def _require_admin_still(context: WriteContext) -> None:
    """Raise InsufficientRole for a former admin, whose changes would outlive its request."""
    organizations.lock(context.session, context.organization_id)
    members.require_admin_still(context)


def change(
    context: WriteContext, endpoint_id: UUID, changes: schemas.WebhookEndpointChanges
) -> schemas.WebhookEndpoint:
    """Change an endpoint. Raises NotFound and InvalidBody."""
    _require_admin_still(context)
    endpoint = lock_own(context, WebhookEndpoint, endpoint_id, "Webhook endpoint")
    if changes.sends("url"):
        endpoint.url = _checked(context, changes.url)
        end_pause(endpoint)
    changes.apply_to(endpoint, "event_types", "description")
    if changes.sends("is_enabled"):
        _switch(endpoint, changes.is_enabled)
    context.session.flush()
    return _present(endpoint)


def _switch(endpoint: models.WebhookEndpoint, is_enabled: bool) -> None:
    """Enable or disable an endpoint; either clears `disabled_reason`."""
    endpoint.disabled_reason = None
    if is_enabled != endpoint.is_enabled:
        endpoint.is_enabled = is_enabled
        end_pause(endpoint)
        endpoint.disabled_at = None if is_enabled else system_clock()


def end_pause(endpoint: models.WebhookEndpoint) -> None:
    """End an endpoint's pause, because a person expects it to accept messages again."""
    endpoint.failures, endpoint.paused_until = 0, None


def delete(context: WriteContext, endpoint_id: UUID) -> Deleted:
    """Delete an endpoint with its pending messages; the log stays. Raises NotFound."""
    _require_admin_still(context)
    endpoint = lock_own(context, WebhookEndpoint, endpoint_id, "Webhook endpoint")
    context.session.delete(endpoint)
    context.session.flush()
    return Deleted()


def rotate_secret(context: WriteContext, endpoint_id: UUID) -> schemas.SecretWebhookEndpoint:
    """Rotate an endpoint's secret; the old ones also sign for a day.

    So a second rotation, such as after a lost answer, leaves the receiver its secret. Raises
    NotFound.
    """
    _require_admin_still(context)
    endpoint = lock_own(context, WebhookEndpoint, endpoint_id, "Webhook endpoint")
    encryption, now, secret = context.services.encryption, system_clock(), new_secret()
    previous: Sequence[str] = ()
    with suppress(UnreadableSecretError):
        previous = secrets_of(endpoint, encryption, now)[:MOST_OLD_SECRETS]
    old = encryption.encrypt(" ".join(previous), PURPOSE) if previous else None
    endpoint.previous_secret_encrypted = old
    endpoint.previous_secret_expires_at = now + OLD_SECRET_SIGNS if previous else None
    endpoint.secret_encrypted = encryption.encrypt(secret, PURPOSE)
    context.session.flush()
    return _with_secret(endpoint, secret)


def list_events(
    context: RequestContext, query: schemas.WebhookEventQuery
) -> Page[schemas.WebhookEvent]:
    """Return a page of the log, newest first."""
    statement = repository.events(context.organization_id, query)
    keyset = repository.EVENTS.of(context.organization_id)
    page_slice = read_slice(context.session, statement, keyset, query)
    return page_slice.page(partial(_presented, context))


def _presented(
    context: RequestContext, rows: Sequence[models.WebhookEvent]
) -> list[schemas.WebhookEvent]:
    numbers = repository.sequences(context, rows)
    return [from_row(schemas.WebhookEvent, row, sequence=numbers[row.id]) for row in rows]


def list_deliveries(
    context: RequestContext, endpoint_id: UUID, query: schemas.WebhookDeliveryQuery
) -> Page[schemas.WebhookDelivery]:
    """Return a page of an endpoint's deliveries, newest first. Raises NotFound."""
    endpoint = require_own(context, WebhookEndpoint, endpoint_id, "Webhook endpoint")
    statement = repository.deliveries(endpoint, query.status)
    keyset = repository.DELIVERIES.of(endpoint.id)
    page_slice = read_slice(context.session, statement, keyset, query)
    return page_slice.page(lambda rows: present(context.session, context.organization_id, rows))


def present(
    session: Session, organization_id: UUID, rows: Sequence[models.WebhookDelivery]
) -> list[schemas.WebhookDelivery]:
    types = repository.types_of(session, organization_id, [row.event_id for row in rows])
    return [_delivery(row, types[row.event_id]) for row in rows]


def _delivery(row: models.WebhookDelivery, event_type: str) -> schemas.WebhookDelivery:
    next_attempt_at = row.next_attempt_at if row.status == "pending" else None
    return from_row(
        schemas.WebhookDelivery, row, event_type=event_type, next_attempt_at=next_attempt_at
    )


def _checked(context: RequestContext, url: str) -> str:
    try:
        return checked_url(url, loopback=context.services.settings.webhooks_to_loopback)
    except RefusedAddressError as refused:
        raise InvalidBody.at("url", str(refused)) from refused


def _present(endpoint: models.WebhookEndpoint) -> schemas.WebhookEndpoint:
    return schemas.WebhookEndpoint.model_validate(endpoint, from_attributes=True)


def _with_secret(endpoint: models.WebhookEndpoint, secret: str) -> schemas.SecretWebhookEndpoint:
    return schemas.SecretWebhookEndpoint(**dict(_present(endpoint)), secret=secret)


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
        occurred_at=context.now,
        data={"webhook_endpoint_id": str(endpoint.id)},
    )
    record(context.session, [test], only=endpoint)
    delivery = context.session.get_one(WebhookDelivery, (endpoint.id, test.id))
    [answer] = present(context.session, context.organization_id, [delivery])
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
    end_pause(endpoint)
    return endpoint


def _known(context: WriteContext, event_ids: list[UUID]) -> list[UUID]:
    types = repository.types_of(context.session, context.organization_id, event_ids)
    absent = [str(event_id) for event_id in event_ids if event_id not in types]
    if absent:
        raise NotFound("Events not found in the log", event_ids=[*absent])
    return list(types)
