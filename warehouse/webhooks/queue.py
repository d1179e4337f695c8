"""The queue of messages: claims due ones under a lease, records the results.

Uses PostgreSQL's clock. A late result is ignored if another process has claimed the delivery since.
Messages about one entity go to an endpoint one after the other: a later one waits while an earlier
one is pending. An endpoint that accepts nothing is paused: then one message at a time probes it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import Row, func, select, update
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import set_committed_value

from warehouse.operational.leases import Queue
from warehouse.operational.models import WebhookDelivery, WebhookEndpoint, WebhookEvent
from warehouse.operational.session import WriteSession
from warehouse.webhooks.due import (
    DELAYS,
    JITTER,
    LONGEST_WAIT,
    in_use,
    is_open,
    next_delivery,
    through_indexes,
)
from warehouse.webhooks.sending import Answer

LEASE = timedelta(minutes=2)
"""Much longer than a message may take."""
_QUEUE = Queue(
    WebhookDelivery,
    WebhookDelivery.next_attempt_at,
    LEASE,
    WebhookDelivery.attempts,
    LONGEST_WAIT,
)
PAUSED_AFTER = 3
"""Messages in a row that fail: one that an endpoint keeps refusing does not delay the others."""
PAUSES = (*(timedelta(seconds=seconds) for seconds in (5, 30, 120, 600)), *DELAYS[2:])
"""Before each probe: three days in total, as long as a message is retried."""
GONE = "the endpoint answered 410 to another message: it accepts no more messages"
Clock = Callable[[Session], datetime]
Jitter = Callable[[], float]
"""Returns numbers from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Message:
    """A claimed delivery with everything needed to send it."""

    delivery: WebhookDelivery
    endpoint: WebhookEndpoint
    event: WebhookEvent
    claimed_at: datetime


def claim(session: WriteSession, endpoint_id: UUID, clock: Clock) -> Message | None:
    """Claim the message for an endpoint that has been due longest; None without one.

    If the endpoint was paused, this is the probe: nothing else is claimed until it is settled.
    """
    _lock_url(session, endpoint_id)
    now = clock(session)  # the lock may have waited for longer than a lease
    with through_indexes(session):
        row = _lock_next(session, endpoint_id, now)
    if row is None:
        return None
    delivery, endpoint, event = row
    if endpoint.failures >= PAUSED_AFTER and not _begins_probe(session, endpoint, now):
        return None
    _QUEUE.lease([delivery], now)
    delivery.first_attempt_at = delivery.first_attempt_at or now
    delivery.last_attempt_at = now
    return Message(delivery, endpoint, event, now)


def settle(
    session: WriteSession, message: Message, answer: Answer, clock: Clock, jitter: Jitter
) -> str | None:
    """Record the result of sending; return the reason if it disables the endpoint."""
    url = _lock_url(session, message.endpoint.id)
    ours = _QUEUE.ours(session, [message.delivery])
    if not ours or ours[0].status != "pending":
        return None
    delivery, now = ours[0], clock(session)  # after the wait for the locks
    delivery.answered, delivery.answer, delivery.error = answer.status, answer.text, answer.error
    if answer.was_accepted:
        delivery.status, delivery.delivered_at = "delivered", now
        _change(session, delivery.endpoint_id, last_success_at=now, failures=0, paused_until=None)
        return None
    if url != message.endpoint.url:  # a 410 of the old one must not disable the endpoint
        delivery.next_attempt_at = now
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


def _lock_url(session: WriteSession, endpoint_id: UUID) -> str | None:
    """Lock an endpoint, before its deliveries as requests do; return its URL, None if deleted."""
    url = select(WebhookEndpoint.url).where(WebhookEndpoint.id == endpoint_id)
    return session.scalar(url.with_for_update(key_share=True))


def _lock_next(
    session: WriteSession, endpoint_id: UUID, now: datetime
) -> Row[WebhookDelivery, WebhookEndpoint, WebhookEvent] | None:
    """Lock and return the unlocked message that has been due longest."""
    is_ready = (WebhookEndpoint.id == endpoint_id, in_use(), is_open(now))
    # equal to pending, it would be looked up among all pending ones of the endpoint
    is_pending = WebhookDelivery.status.not_in(["delivered", "failed"])
    messages = (
        select(WebhookDelivery, WebhookEndpoint, WebhookEvent)
        .join(WebhookEndpoint, WebhookEndpoint.id == WebhookDelivery.endpoint_id)
        .join(WebhookEvent, WebhookEvent.id == WebhookDelivery.event_id)
        .where(WebhookDelivery.endpoint_id == endpoint_id, is_pending)
    )
    skipped = 0
    while event_id := session.scalar(
        select(next_delivery("event_id", now, skipped)).where(*is_ready)
    ):
        message = messages.where(WebhookDelivery.event_id == event_id)
        if row := session.execute(_QUEUE.free(message, now)).one_or_none():
            return row
        skipped += 1
    return None


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
        select(*counted).where(WebhookEndpoint.id == claimed.id)
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


def _change(session: WriteSession, endpoint_id: UUID, **columns: object) -> None:
    """Write what sending shows of an endpoint, without changing `updated_at`."""
    session.execute(
        update(WebhookEndpoint).where(WebhookEndpoint.id == endpoint_id).values(**columns)
    )
