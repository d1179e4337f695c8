"""The queue of messages: finds due ones, claims them under a lease, records the results.

Uses the real clock. A claimed delivery is identified by the end of its lease: after that it can be
claimed again, and a late result is ignored. Messages about one entity go to an endpoint one after
the other: a later one waits while an earlier one is pending. An endpoint that accepts nothing is
paused: then one message at a time probes it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, and_, exists, func, or_, select, update
from sqlalchemy.orm import Session, aliased
from sqlalchemy.orm.attributes import set_committed_value

from warehouse.operational.models import (
    Organization,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEvent,
)
from warehouse.operational.session import WriteSession
from warehouse.webhooks.sending import Answer

LEASE = timedelta(minutes=2)
"""Much longer than a message may take."""
DELAYS = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    *(timedelta(hours=hours) for hours in (2, 5, 10, 14, 20, 24)),
)
"""After each failed attempt: three days in total, as the specification suggests."""
PAUSED_AFTER = 3
"""Messages in a row that fail: one that an endpoint keeps refusing does not delay the others."""
PAUSES = (*(timedelta(seconds=seconds) for seconds in (5, 30, 120, 600)), *DELAYS[2:])
"""Before each probe: three days in total, as long as a message is retried."""
GONE = "the endpoint answered 410 to another message: it accepts no more messages"
JITTER = 0.1
"""Longest random extension of a delay, as a share, so messages that failed together spread out."""

Jitter = Callable[[], float]
"""Returns numbers from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Message:
    """A claimed delivery with everything needed to send it."""

    delivery: WebhookDelivery
    endpoint: WebhookEndpoint
    event: WebhookEvent


def due_endpoints(session: Session, now: datetime) -> Sequence[UUID]:
    """Return the endpoints in use with a message to send now."""
    waiting = exists().where(WebhookDelivery.endpoint_id == WebhookEndpoint.id, _is_next(now))
    return session.scalars(
        select(WebhookEndpoint.id)
        .where(_in_use(), _is_open(now), waiting)
        .order_by(WebhookEndpoint.id)
    ).all()


def claim(session: WriteSession, endpoint_id: UUID, now: datetime) -> Message | None:
    """Claim the message for an endpoint that has been due longest; None without one.

    If the endpoint was paused, this is the probe: nothing else is claimed until it is settled.
    """
    row = session.execute(
        select(WebhookDelivery, WebhookEndpoint, WebhookEvent)
        .join(WebhookEndpoint, WebhookEndpoint.id == WebhookDelivery.endpoint_id)
        .join(WebhookEvent, WebhookEvent.id == WebhookDelivery.event_id)
        .where(WebhookDelivery.endpoint_id == endpoint_id, _in_use(), _is_open(now), _is_next(now))
        .order_by(WebhookDelivery.next_attempt_at, WebhookDelivery.sequence)
        .limit(1)
        .with_for_update(of=WebhookDelivery, skip_locked=True)
    ).one_or_none()
    if row is None:
        return None
    delivery, endpoint, event = row
    if endpoint.failures >= PAUSED_AFTER and not _begins_probe(session, endpoint, now):
        return None
    delivery.attempts += 1
    delivery.first_attempt_at = delivery.first_attempt_at or now
    delivery.last_attempt_at = now
    delivery.next_attempt_at = now + LEASE
    return Message(delivery, endpoint, event)


def settle(
    session: WriteSession, message: Message, answer: Answer, now: datetime, jitter: Jitter
) -> str | None:
    """Record the result of sending; return the reason if it disables the endpoint."""
    delivery = _still_ours(session, message.delivery)
    if delivery is None:
        return None
    delivery.answered, delivery.answer, delivery.error = answer.status, answer.text, answer.error
    if answer.was_accepted:
        delivery.status, delivery.delivered_at = "delivered", now
        _change(session, delivery.endpoint_id, last_success_at=now, failures=0, paused_until=None)
        return None
    failures = _note_failure(session, message, now, jitter)
    if answer.is_gone or delivery.attempts > len(DELAYS):
        delivery.status = "failed"
    else:
        delivery.next_attempt_at = now + _delay(DELAYS, delivery.attempts, jitter)
    reason = _why_to_disable(session, delivery, answer, failures)
    if reason == "gone":
        _end_pending(session, delivery.endpoint_id)
    if reason is not None:
        disabled = {"is_enabled": False, "disabled_reason": reason, "disabled_at": now}
        _change(session, delivery.endpoint_id, **disabled)
    return reason


class Waiting(NamedTuple):
    """The number of waiting messages, and since when (UTC) one could be sent, if any."""

    messages: int
    due_since: datetime | None


def waiting_messages(session: Session, now: datetime) -> Waiting:
    """Return what waits for endpoints in use, in all organizations."""
    pending = select(func.count()).where(WebhookDelivery.status == "pending", _in_use())
    due = select(func.min(WebhookDelivery.next_attempt_at)).where(
        _is_next(now), _in_use(), _is_open(now)
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


def _end_pending(session: WriteSession, endpoint_id: UUID) -> None:
    """Fail the pending messages of an endpoint that accepts no more; people may resend them."""
    pending = (WebhookDelivery.endpoint_id == endpoint_id, WebhookDelivery.status == "pending")
    locked = select(WebhookDelivery.event_id).where(*pending).with_for_update(skip_locked=True)
    session.execute(
        update(WebhookDelivery)
        .where(*pending, WebhookDelivery.event_id.in_(locked))
        .values(status="failed", error=func.coalesce(WebhookDelivery.error, GONE))
    )


def _begins_probe(session: WriteSession, endpoint: WebhookEndpoint, now: datetime) -> bool:
    """Block the endpoint for others while a probe is claimed; False if one already is."""
    probed_until = now + LEASE
    begun = session.scalar(
        update(WebhookEndpoint)
        .where(
            WebhookEndpoint.id == endpoint.id,
            WebhookEndpoint.paused_until.is_not_distinct_from(endpoint.paused_until),
        )
        .values(paused_until=probed_until)
        .returning(WebhookEndpoint.id)
    )
    set_committed_value(endpoint, "paused_until", probed_until)
    return begun is not None


def _note_failure(session: WriteSession, message: Message, now: datetime, jitter: Jitter) -> int:
    """Count a failure and pause an endpoint after several; return the failures in a row.

    Each message counts once, a probe always. A message that was being sent while another's failure
    paused the endpoint does not count.
    """
    claimed = message.endpoint
    if message.delivery.attempts > 1 and claimed.failures < PAUSED_AFTER:
        return 0
    counted = WebhookEndpoint.failures, WebhookEndpoint.paused_until
    failures, paused_until = session.execute(
        select(*counted).where(WebhookEndpoint.id == claimed.id).with_for_update()
    ).one()
    if paused_until != claimed.paused_until:
        return 0
    failures += 1
    if failures >= PAUSED_AFTER:
        pauses = failures - PAUSED_AFTER + 1
        paused_until = now + _delay(PAUSES, min(pauses, len(PAUSES)), jitter)
    _change(session, claimed.id, failures=failures, paused_until=paused_until)
    return int(failures)


def _delay(delays: Sequence[timedelta], number: int, jitter: Jitter) -> timedelta:
    return delays[number - 1] * (1 + JITTER * jitter())


def _why_to_disable(
    session: Session, delivery: WebhookDelivery, answer: Answer, failures: int
) -> str | None:
    """Return `gone`, or `failing` if nothing arrived for three days.

    That is, since the first attempt of a message that is given up, or after all pauses.
    """
    if answer.is_gone:
        return "gone"
    if delivery.status != "failed" and failures < PAUSED_AFTER + len(PAUSES):
        return None
    last = session.scalar(
        select(WebhookEndpoint.last_success_at).where(WebhookEndpoint.id == delivery.endpoint_id)
    )
    began = delivery.first_attempt_at
    return None if last and began and last >= began else "failing"


def _still_ours(session: WriteSession, claimed: WebhookDelivery) -> WebhookDelivery | None:
    """Return the row of a claimed delivery for update, unless another has claimed it since."""
    return session.scalar(
        select(WebhookDelivery)
        .where(
            WebhookDelivery.endpoint_id == claimed.endpoint_id,
            WebhookDelivery.event_id == claimed.event_id,
            WebhookDelivery.status == "pending",
            WebhookDelivery.next_attempt_at == claimed.next_attempt_at,
        )
        .with_for_update()
    )


def _change(session: WriteSession, endpoint_id: UUID, **columns: object) -> None:
    """Write what sending shows of an endpoint, without changing `updated_at`."""
    session.execute(
        update(WebhookEndpoint).where(WebhookEndpoint.id == endpoint_id).values(**columns)
    )


def _in_use() -> ColumnElement[bool]:
    suspended = exists().where(
        Organization.id == WebhookEndpoint.organization_id, Organization.is_suspended
    )
    return and_(WebhookEndpoint.is_enabled, ~suspended)


def _is_open(now: datetime) -> ColumnElement[bool]:
    paused_until = WebhookEndpoint.paused_until
    return or_(paused_until.is_(None), paused_until <= now)


def _is_next(now: datetime) -> ColumnElement[bool]:
    """Match a due delivery without a pending earlier one about its entity."""
    earlier = aliased(WebhookDelivery)
    is_blocked = exists().where(
        earlier.endpoint_id == WebhookDelivery.endpoint_id,
        earlier.entity == WebhookDelivery.entity,
        earlier.status == "pending",
        earlier.sequence < WebhookDelivery.sequence,
    )
    return and_(
        WebhookDelivery.status == "pending", WebhookDelivery.next_attempt_at <= now, ~is_blocked
    )
