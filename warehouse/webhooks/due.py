"""Which messages are due, and to which endpoints: for deliverers, and as figures for monitoring."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, ScalarSelect, and_, exists, func, select, text
from sqlalchemy.orm import Session

from warehouse.operational.leases import has_ended
from warehouse.operational.models import Organization, WebhookDelivery, WebhookEndpoint

DELAYS = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    *(timedelta(hours=hours) for hours in (2, 5, 10, 14, 20, 24)),
)
"""After each failed attempt: three days in total, as the specification suggests."""
JITTER = 0.1
"""Longest random extension of a delay, as a share, so messages that failed together spread out."""
LONGEST_WAIT = max(DELAYS) * (1 + JITTER)
"""Of a message for its next attempt, and of a paused endpoint for the next probe."""


def due_endpoints(session: Session, now: datetime) -> Sequence[UUID]:
    """Return the endpoints in use with a message to send now."""
    endpoints = select(WebhookEndpoint.id).where(in_use(), is_open(now))
    is_due = next_delivery("event_id", now).is_not(None)
    with through_indexes(session):
        return session.scalars(endpoints.where(is_due).order_by(WebhookEndpoint.id)).all()


class Waiting(NamedTuple):
    """The number of waiting messages, and since when (UTC) one could be sent, if any."""

    messages: int
    due_since: datetime | None


def waiting_messages(session: Session, now: datetime) -> Waiting:
    """Return what waits for endpoints in use, in all organizations."""
    pending = select(func.count()).where(WebhookDelivery.status == "pending", in_use())
    to_endpoints = WebhookEndpoint.id == WebhookDelivery.endpoint_id
    messages = session.scalars(pending.where(to_endpoints)).one()
    due = func.min(next_delivery("next_attempt_at", now))
    with through_indexes(session):
        return Waiting(messages, session.scalars(select(due).where(in_use(), is_open(now))).one())


def disabled_endpoints(session: Session) -> Sequence[tuple[str, int]]:
    """Return the reasons for which endpoints were disabled automatically, with their numbers."""
    rows = session.execute(
        select(WebhookEndpoint.disabled_reason, func.count())
        .where(WebhookEndpoint.disabled_reason.is_not(None))
        .group_by(WebhookEndpoint.disabled_reason)
        .order_by(WebhookEndpoint.disabled_reason)
    )
    return [(reason or "", count) for reason, count in rows]


def in_use() -> ColumnElement[bool]:
    suspended = exists().where(
        Organization.id == WebhookEndpoint.organization_id, Organization.is_suspended
    )
    return and_(WebhookEndpoint.is_enabled, ~suspended)


def is_open(now: datetime) -> ColumnElement[bool]:
    return has_ended(WebhookEndpoint.paused_until, now, LONGEST_WAIT)


def next_delivery(column: str, now: datetime, skipped: int = 0) -> ScalarSelect[Any]:
    """Select a column of the delivery to an endpoint that has been due longest, null without one.

    Those with an earlier pending one about their entity wait. The due ones are sorted first, since
    PostgreSQL adds no condition to a subquery with an offset: so, few entities are looked up.
    """
    is_pending = WebhookDelivery.status == "pending"
    is_due = has_ended(WebhookDelivery.next_attempt_at, now, LONGEST_WAIT)
    order = (WebhookDelivery.next_attempt_at, WebhookDelivery.sequence)
    due = (
        select(WebhookDelivery.event_id, WebhookDelivery.entity, *order)
        .where(WebhookDelivery.endpoint_id == WebhookEndpoint.id, is_pending, is_due)
        .order_by(*order)
        .offset(0)
        .correlate(WebhookEndpoint)
        .subquery()
    )
    first_of_entity = (
        select(WebhookDelivery.sequence)
        .where(
            WebhookDelivery.endpoint_id == WebhookEndpoint.id,
            WebhookDelivery.entity == due.c.entity,
            is_pending,
        )
        .order_by(WebhookDelivery.sequence)
        .limit(1)
        .correlate(WebhookEndpoint, due)
        .scalar_subquery()
    )
    return (
        select(due.c[column])
        .where(due.c.sequence == first_of_entity)
        .order_by(due.c.next_attempt_at, due.c.sequence)
        .offset(skipped)
        .limit(1)
        .correlate(WebhookEndpoint)
        .scalar_subquery()
    )


@contextmanager
def through_indexes(session: Session) -> Iterator[None]:
    """Look up the first delivery of an entity in the index that has them in order.

    PostgreSQL expects no pending ones if there were none at the last analyze, and would sort all of
    the endpoint for each.
    """
    session.execute(text("set local enable_sort = off"))
    yield
    session.execute(text("set local enable_sort to default"))
