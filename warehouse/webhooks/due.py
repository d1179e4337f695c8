"""Which messages are due, and to which endpoints: for deliverers, and as figures for monitoring."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, and_, exists, func, select
from sqlalchemy.orm import Session, aliased

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
    waiting = exists().where(WebhookDelivery.endpoint_id == WebhookEndpoint.id, is_next(now))
    return session.scalars(
        select(WebhookEndpoint.id)
        .where(in_use(), is_open(now), waiting)
        .order_by(WebhookEndpoint.id)
    ).all()


class Waiting(NamedTuple):
    """The number of waiting messages, and since when (UTC) one could be sent, if any."""

    messages: int
    due_since: datetime | None


def waiting_messages(session: Session, now: datetime) -> Waiting:
    """Return what waits for endpoints in use, in all organizations."""
    pending = select(func.count()).where(WebhookDelivery.status == "pending", in_use())
    due = select(func.min(WebhookDelivery.next_attempt_at)).where(
        is_next(now), in_use(), is_open(now)
    )
    to_endpoints = WebhookEndpoint.id == WebhookDelivery.endpoint_id
    return Waiting(
        session.scalars(pending.where(to_endpoints)).one(),
        session.scalars(due.where(to_endpoints)).one(),
    )


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


def is_next(now: datetime) -> ColumnElement[bool]:
    """Match a due delivery without a pending earlier one about its entity."""
    earlier = aliased(WebhookDelivery)
    is_blocked = exists().where(
        earlier.endpoint_id == WebhookDelivery.endpoint_id,
        earlier.entity == WebhookDelivery.entity,
        earlier.status == "pending",
        earlier.sequence < WebhookDelivery.sequence,
    )
    is_due = has_ended(WebhookDelivery.next_attempt_at, now, LONGEST_WAIT)
    return and_(WebhookDelivery.status == "pending", is_due, ~is_blocked)
