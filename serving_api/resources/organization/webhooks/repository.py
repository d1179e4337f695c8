"""SQL of webhooks. Every statement names the organization."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy import Select, exists, or_, select
from sqlalchemy.orm import Session

from serving_api.kit.pagination import Keyset, among
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import matching, rows_of
from serving_api.resources.organization.webhooks.schemas import WebhookEventQuery
from warehouse.operational.models import WebhookDelivery, WebhookEndpoint, WebhookEvent
from warehouse.webhooks.event import TEST

MOST_AT_ONCE = 10_000
"""Maximum events that one request resends, the oldest first."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
CLOCKS_APART = timedelta(hours=1)
"""Maximum clock difference of two machines that log events of one entity."""
ENDPOINTS = Keyset(WebhookEndpoint.created_at, WebhookEndpoint.id, "webhook-endpoints")
EVENTS = Keyset(WebhookEvent.created_at, WebhookEvent.id, "webhook-events")
DELIVERIES = Keyset(WebhookDelivery.created_at, WebhookDelivery.event_id, "webhook-deliveries")


def disabled_automatically(session: Session, organization_id: UUID) -> Sequence[WebhookEndpoint]:
    """Return the endpoints that were disabled automatically, the latest first."""
    statement = rows_of(WebhookEndpoint, organization_id).where(
        WebhookEndpoint.disabled_reason.is_not(None)
    )
    latest = (WebhookEndpoint.disabled_at.desc(), WebhookEndpoint.id)
    return session.scalars(statement.order_by(*latest)).all()


def events(organization_id: UUID, query: WebhookEventQuery) -> Select[WebhookEvent]:
    """Select the matching events of an organization's log."""
    return matching(WebhookEvent, organization_id, query, "type", "entity_id")


def sequences(context: RequestContext, events: Collection[WebhookEvent]) -> Mapping[UUID, int]:
    """Return each event's sequence number: microseconds of its log time.

    Later events of an entity have larger numbers, even if clocks differ by up to CLOCKS_APART. The
    column itself counts events of all organizations, and would reveal how busy others are.
    """
    times = [event.created_at for event in events]
    if not times:
        return {}
    rows = context.session.execute(
        select(
            WebhookEvent.id,
            WebhookEvent.entity_type,
            WebhookEvent.entity_id,
            WebhookEvent.created_at,
        )
        .where(
            WebhookEvent.organization_id == context.organization_id,
            WebhookEvent.entity_id.in_({event.entity_id for event in events}),
            WebhookEvent.created_at.between(min(times) - CLOCKS_APART, max(times) + CLOCKS_APART),
        )
        .order_by(WebhookEvent.sequence)
    )
    last: dict[tuple[str, str], int] = {}
    numbers: dict[UUID, int] = {}
    for event_id, *entity, created_at in rows:
        key = (entity[0], entity[1])
        at = (created_at - EPOCH) // timedelta(microseconds=1)
        numbers[event_id] = last[key] = max(at, last.get(key, 0) + 1)
    return numbers


def deliveries(endpoint: WebhookEndpoint, status: str | None) -> Select[WebhookDelivery]:
    statement = rows_of(WebhookDelivery, endpoint.organization_id).where(
        WebhookDelivery.endpoint_id == endpoint.id
    )
    return statement if status is None else statement.where(WebhookDelivery.status == status)


def types_of(
    session: Session, organization_id: UUID, event_ids: Collection[UUID]
) -> Mapping[UUID, str]:
    statement = select(WebhookEvent.id, WebhookEvent.type).where(
        WebhookEvent.organization_id == organization_id, among(WebhookEvent.id, event_ids)
    )
    return {row.id: row.type for row in session.execute(statement)}


def not_arrived(endpoint: WebhookEndpoint, since: datetime) -> Select[UUID]:
    """Select the events since an instant that an endpoint subscribes to and has not received."""
    sent = exists().where(
        WebhookDelivery.endpoint_id == endpoint.id,
        WebhookDelivery.event_id == WebhookEvent.id,
        WebhookDelivery.status != "failed",
    )
    statement = select(WebhookEvent.id).where(
        WebhookEvent.organization_id == endpoint.organization_id,
        WebhookEvent.created_at >= since,
        or_(WebhookEvent.type != TEST, WebhookEvent.entity_id == str(endpoint.id)),
        ~sent,
    )
    if endpoint.event_types is not None:
        statement = statement.where(WebhookEvent.type.in_(endpoint.event_types))
    return statement.order_by(WebhookEvent.sequence).limit(MOST_AT_ONCE)
