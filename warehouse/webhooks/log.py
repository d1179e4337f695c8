"""The log of events, and the queue of their deliveries: written in one transaction.

A change records its event in its own transaction, so neither exists without the other. An
organization's log begins with its first endpoint.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any
from uuid import UUID

from sqlalchemy import Select, String, Uuid, and_, any_, func, insert, literal, or_, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.orm import Session

from warehouse.operational.clock import clock_of_database
from warehouse.operational.expiry import delete_expired
from warehouse.operational.models import (
    PayoutHoldRelease,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEvent,
)
from warehouse.operational.session import WriteSession
from warehouse.webhooks.event import Event
from warehouse.webhooks.states import readings_of

RETENTION = timedelta(days=90)
"""How long an event stays in the log, unless its id has to be known forever."""
REMEMBERED = ("accrual.final", "accrual.adjusted", "budget.reached")
"""Later events are compared with all of these: an amount may return to what it was a year ago, and
each publication lists all reached thresholds.
"""
AT_ONCE = 1000
"""Rows of one statement."""
EarlierRows = dict[tuple[UUID, str, str], list[WebhookEvent]]
HOLDS = {"accrual.held", "accrual.released"}
"""The first comes from publications, the second from a person's request."""


def record(
    session: Session, events: Iterable[Event], *, only: WebhookEndpoint | None = None
) -> int:
    """Log and queue events of organizations with endpoints; return how many were new.

    They go to the enabled endpoints that subscribe to them, or to `only` one, whatever it
    subscribes to.
    """
    iterator, count = iter(events), 0
    while batch := list(islice(iterator, AT_ONCE)):
        count += _record(session, batch, only)
    return count


def listening(session: Session, among: Collection[UUID] | None = None) -> Sequence[UUID]:
    """Return the organizations with endpoints, of these or of all."""
    having = select(WebhookEndpoint.organization_id).distinct()
    if among is not None:
        having = having.where(WebhookEndpoint.organization_id.in_(among))
    return session.scalars(having).all()


def send_again(
    session: WriteSession, endpoint: WebhookEndpoint, event_ids: Collection[UUID]
) -> int:
    """Queue events for an endpoint again; return how many were not already queued."""
    now = clock_of_database(session)
    new = upsert(WebhookDelivery).from_select(
        QUEUED, _deliveries(event_ids, now).where(WebhookEndpoint.id == endpoint.id)
    )
    queued = session.execute(
        new.on_conflict_do_update(
            index_elements=[WebhookDelivery.endpoint_id, WebhookDelivery.event_id],
            set_={
                "status": "pending",
                "attempts": 0,
                "first_attempt_at": None,
                "next_attempt_at": new.excluded.next_attempt_at,
            },
            where=WebhookDelivery.status != "pending",
        ).returning(WebhookDelivery.event_id)
    )
    return len(queued.all())


def _record(session: Session, batch: Collection[Event], only: WebhookEndpoint | None) -> int:
    listen = set(listening(session, {event.organization_id for event in batch}))
    now = clock_of_database(session)
    listened = [event for event in batch if event.organization_id in listen]
    _lock_holds(session, listened)
    ids = _ids(session, listened)
    released = _released(session, listened)
    rows = [_row(event, ids[event.id], now) for event in listened if event.id not in released]
    if not rows:
        return 0
    new = session.scalars(
        upsert(WebhookEvent).values(rows).on_conflict_do_nothing().returning(WebhookEvent.id)
    ).all()
    subscribed = or_(
        WebhookEndpoint.event_types.is_(None),
        WebhookEvent.type == any_(WebhookEndpoint.event_types),
    )
    receives = and_(WebhookEndpoint.is_enabled, subscribed)
    if only is not None:
        receives = WebhookEndpoint.id == only.id
    deliveries = _deliveries(new, now).where(receives)
    session.execute(insert(WebhookDelivery).from_select(QUEUED, deliveries))
    return len(new)


def _ids(session: Session, events: Collection[Event]) -> dict[UUID, UUID]:
    """Return the ids to log events under, by their own ids: different if an amount returned."""
    ids = {event.id: event.id for event in events}
    returning = {event.id: event for event in events if event.returns_by}
    is_logged = WebhookEvent.id == any_(literal(list(returning), ARRAY(Uuid)))
    logged = session.scalars(select(WebhookEvent.id).where(is_logged)) if returning else ()
    events_again = [returning[event_id] for event_id in logged]
    earlier = _earlier(session, events_again)
    for event in events_again:
        subject = str(event.returns_by)
        rows = earlier[event.organization_id, event.type, event.entity_id]
        same = [row.id for row in rows if row.data.get(subject) == event.data[subject]]
        ids[event.id] = event.id_after(same)
    return ids


def _earlier(session: Session, events: Collection[Event]) -> EarlierRows:
    """Return the logged rows of the events' entities by organization, type and entity, in order."""
    rows: EarlierRows = defaultdict(list)
    if not events:
        return rows
    entities = {event.entity_id for event in events}
    statement = (
        select(WebhookEvent)
        .where(
            WebhookEvent.organization_id.in_({event.organization_id for event in events}),
            WebhookEvent.entity_id == any_(literal(list(entities), ARRAY(String))),
        )
        .order_by(WebhookEvent.sequence)
    )
    for row in session.scalars(statement):
        rows[row.organization_id, row.type, row.entity_id].append(row)
    return rows


def _lock_holds(session: Session, events: Collection[Event]) -> None:
    """Let one transaction at a time record that an amount is on hold, or no longer is.

    So the events' sequence follows the commits: `_released` sees a release that commits first.
    """
    amounts = {(e.organization_id, e.entity_id) for e in events if e.type in HOLDS}
    for organization_id, entity_id in sorted(amounts):
        key = func.hashtextextended(f"hold {organization_id} {entity_id}", 0)
        session.execute(select(func.pg_advisory_xact_lock(key)))


def _released(session: Session, events: Collection[Event]) -> Collection[UUID]:
    """Return the events of holds whose readings have all been released since."""
    hold_events = [event for event in events if event.type == "accrual.held"]
    releases = select(PayoutHoldRelease.accrual_id, PayoutHoldRelease.anomaly_id).where(
        PayoutHoldRelease.accrual_id.in_({UUID(event.entity_id) for event in hold_events})
    )
    done = {tuple(row) for row in session.execute(releases)} if hold_events else set()
    return [
        event.id
        for event in hold_events
        if all((UUID(event.entity_id), UUID(reading)) in done for reading in readings_of(event))
    ]


def _row(event: Event, event_id: UUID, now: datetime) -> dict[str, object]:
    return {
        "id": event_id,
        "organization_id": event.organization_id,
        "type": event.type,
        "entity_type": event.entity_type,
        "entity_id": event.entity_id,
        "occurred_at": event.occurred_at,
        "created_at": now,
        "data": dict(event.data),
    }


def _deliveries(event_ids: Collection[UUID], now: datetime) -> Select[*tuple[Any, ...]]:
    """Select the columns QUEUED of these events, for every endpoint of their organizations.

    An endpoint that is being deleted is left out: a reference to it would fail, along with the
    batch or payment that the events report.
    """
    listed = literal(list(event_ids), ARRAY(Uuid))
    return (
        select(
            WebhookEndpoint.id,
            WebhookEvent.id,
            WebhookEvent.organization_id,
            func.concat(WebhookEvent.entity_type, ":", WebhookEvent.entity_id),
            WebhookEvent.sequence,
            literal(now),
            literal(now),
        )
        .join(WebhookEndpoint, WebhookEndpoint.organization_id == WebhookEvent.organization_id)
        .where(WebhookEvent.id == any_(listed))
        .with_for_update(read=True, key_share=True, of=WebhookEndpoint)
    )


QUEUED = (
    "endpoint_id",
    "event_id",
    "organization_id",
    "entity",
    "sequence",
    "next_attempt_at",
    "created_at",
)
"""The columns of a delivery written when it is queued."""


def forget_past(session: WriteSession) -> int:
    """Delete expired events and deliveries; return the larger of the two numbers.

    Deliveries of remembered events expire, too, once they have ended.
    """
    is_past = WebhookEvent.created_at < func.now() - RETENTION
    is_done = WebhookEvent.type.not_in(REMEMBERED)
    events = delete_expired(session, WebhookEvent, is_past, is_done, limit=AT_ONCE)
    is_old = WebhookDelivery.created_at < func.now() - RETENTION
    has_ended = WebhookDelivery.status != "pending"
    return max(events, delete_expired(session, WebhookDelivery, is_old, has_ended, limit=AT_ONCE))
