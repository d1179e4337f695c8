"""Delivers due messages; several deliverers may run at once.

Each endpoint is served by one thread of a process, so an endpoint that does not respond delays no
others. If a deliverer is killed, others send its claimed messages after their lease ends: each
message arrives at least once.
"""

import random
from collections import Counter
from concurrent.futures import Executor, Future
from datetime import datetime, timedelta
from threading import Event
from time import monotonic
from uuid import UUID

import structlog
from sqlalchemy.exc import SQLAlchemyError

from warehouse.encryption import Encryption, UnreadableSecretError
from warehouse.operational.clock import clock_of_database
from warehouse.operational.store import OperationalStore
from warehouse.webhooks.due import due_endpoints
from warehouse.webhooks.log import AT_ONCE, forget_past
from warehouse.webhooks.queue import Clock, Jitter, Message, claim, settle
from warehouse.webhooks.sending import Answer, Sender
from warehouse.webhooks.signing import body_of, headers_of, secrets_of

THREADS = 8
IN_A_ROW = 100
LONGEST_TURN = timedelta(seconds=15)
"""Most messages to one endpoint, and most time for them, before others get their turn.

Otherwise, a slow endpoint would occupy a thread for 25 minutes, and an organization has more
endpoints than a process has threads.
"""
BETWEEN_TIDYING = timedelta(hours=1)

log = structlog.get_logger()


class Deliverer:
    """Sends messages in the threads of `pool`. Only tests replace `clock`."""

    def __init__(
        self,
        store: OperationalStore,
        encryption: Encryption,
        sender: Sender,
        pool: Executor,
        *,
        clock: Clock = clock_of_database,
        jitter: Jitter = random.random,
    ) -> None:
        self._store = store
        self._encryption = encryption
        self._sender = sender
        self._pool = pool
        self._clock = clock
        self._jitter = jitter
        self._under_way: dict[UUID, Future[Counter[str]]] = {}
        self._stop_requested = Event()
        self._tidied_at: datetime | None = None

    def begin(self) -> int:
        """Start serving the endpoints with due messages; return their number."""
        self._let_go_of_served()
        with self._store.read_session() as session:
            due = [
                due_endpoint
                for due_endpoint in due_endpoints(session, self._clock(session))
                if not self._serves(due_endpoint)
            ]
        for endpoint_id in due:
            self._under_way[endpoint_id] = self._pool.submit(self._serve, endpoint_id)
        return len(due)

    def deliver(self) -> Counter[str]:
        """Send until nothing is due; return the numbers of arrived and failed messages."""
        tally: Counter[str] = Counter()
        while self.begin():
            for served in self._under_way.values():
                tally += served.result()
        return tally

    def end(self) -> None:
        """Start nothing more; messages being sent are completed."""
        self._stop_requested.set()

    def tidy(self) -> None:
        """Delete expired events, at most once an hour.

        If there are too many for one call, the next call continues.
        """
        with self._store.write_session() as session:
            now = self._clock(session)
            if self._tidied_at is not None and now < self._tidied_at + BETWEEN_TIDYING:
                return
            is_all = forget_past(session) < AT_ONCE
        self._tidied_at = now if is_all else None

    def _let_go_of_served(self) -> None:
        for endpoint_id, served in [*self._under_way.items()]:
            if served.done():
                del self._under_way[endpoint_id]
                if fault := served.exception():
                    log.error("webhooks_fault", endpoint_id=str(endpoint_id), exc_info=fault)

    def _serves(self, endpoint_id: UUID) -> bool:
        return endpoint_id in self._under_way

    def _serve(self, endpoint_id: UUID) -> Counter[str]:
        """Send to one endpoint until one message fails; the rest is sent in a later turn."""
        tally: Counter[str] = Counter()
        until = monotonic() + LONGEST_TURN.total_seconds()
        try:
            for _ in range(IN_A_ROW):
                answer = self._send_next(endpoint_id)
                if answer is not None:
                    tally["arrived" if answer.was_accepted else "failed"] += 1
                if answer is None or not answer.was_accepted or self._stop_requested.is_set():
                    break
                if monotonic() >= until:
                    break
        except SQLAlchemyError as error:
            log.warning("webhooks_interrupted", endpoint_id=str(endpoint_id), error=str(error))
        return tally

    def _send_next(self, endpoint_id: UUID) -> Answer | None:
        with self._store.write_session() as session:
            message = claim(session, endpoint_id, self._clock)
        if message is None:
            return None
        answer = self._sent(message)
        with self._store.write_session() as session:
            reason = settle(session, message, answer, self._clock, self._jitter)
        if reason is not None:
            log.warning("webhook_endpoint_disabled", endpoint_id=str(endpoint_id), reason=reason)
        return answer

    def _sent(self, message: Message) -> Answer:
        body, now = body_of(message.event), message.claimed_at
        try:
            keys = secrets_of(message.endpoint, self._encryption, now)
        except UnreadableSecretError as unreadable:
            return Answer(error=f"{unreadable} A rotated secret can be read again.")
        headers = headers_of(message.event.id, body, now, keys)
        return self._sender.post(message.endpoint.url, headers, body)
