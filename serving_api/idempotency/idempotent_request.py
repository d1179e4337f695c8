"""One request with an Idempotency-Key: the first, a repetition, or one in progress.

Forms of pages have keys too (see `desk.once`).

The holder of the key's advisory lock is the only one to work on it until its transaction ends. The
outcome is a row of the same transaction: work and outcome are committed together or not at all. A
failed request is rolled back to the savepoint at its start, so that only its outcome is stored.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic, sleep
from typing import Any
from uuid import UUID

from fastapi import FastAPI, Request, Response
from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert

from serving_api.errors import (
    ApiError,
    IdempotencyConflict,
    IdempotencyInProgress,
    IdempotencyKeyReused,
    InvalidBody,
)
from serving_api.http.error_handlers import respond
from serving_api.idempotency.declaration import REPLAY_HEADER
from serving_api.kit.json_text import parsed
from serving_api.kit.rows import rows_of
from warehouse.clock import system_clock
from warehouse.operational.expiry import delete_expired
from warehouse.operational.models import IdempotencyOutcome
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore


def fingerprint(body: bytes, query: Iterable[tuple[str, str]]) -> bytes:
    """Return a hash that ignores whitespace and the order of keys and parameters.

    A body that is not valid JSON is hashed as bytes.
    """
    query_text = json.dumps(sorted(query)).encode()
    return hashlib.sha256(query_text + b"\n" + _canonical(body)).digest()


def _canonical(body: bytes) -> bytes:
    try:
        return json.dumps(parsed(body), sort_keys=True, separators=(",", ":")).encode()
    except InvalidBody:
        return body


def without_secrets(envelope: bytes, secrets: Iterable[str]) -> bytes:
    """Return a response with the named fields (see Idempotent) set to null."""
    paths = [path.split(".") for path in secrets]
    if not paths:
        return envelope
    content = json.loads(envelope)
    for path in paths:
        _clear(content["data"], path)
    return json.dumps(content, separators=(",", ":")).encode()


def _clear(value: Any, path: list[str]) -> None:
    if isinstance(value, list):
        for element in value:
            _clear(element, path)
    elif isinstance(value, dict) and path[0] in value:
        if path[1:]:
            _clear(value[path[0]], path[1:])
        else:
            value[path[0]] = None


RETENTION = timedelta(hours=24)
A_MINUTE = timedelta(minutes=1)

SERVER_ERROR = 500

MOST_SECONDS = 15.0
"""How long a form waits for the same form in progress."""
POLL_SECONDS = 0.1


class Replayed(Exception):  # noqa: N818 - not an error: the response is stored
    """The stored response to the first request with this key."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


def as_it_was(outcome: IdempotencyOutcome) -> Response:
    return Response(
        outcome.response_body,
        outcome.status,
        headers={REPLAY_HEADER: "true"},
        media_type="application/json",
    )


def install(app: FastAPI) -> None:
    """Handle Replayed with the stored response."""
    app.add_exception_handler(Replayed, _replay)


async def _replay(_request: Request, replayed: Exception) -> Response:
    if not isinstance(replayed, Replayed):
        raise replayed
    return replayed.response


_ANSWERED = """
    select from idempotency_outcomes
    where organization_id = %s and key = %s and created_at > %s
"""


@dataclass(frozen=True, kw_only=True)
class IdempotentRequest:
    """A request with a key.

    `endpoint` is method and path, `request_hash` the fingerprint, `secrets` the fields not to
    store. `refusal_of` maps exceptions to error responses. `response` returns the response after a
    successful block. `replay` builds the response from a stored outcome. With `waits`, it waits
    for the first request instead of raising IdempotencyInProgress.
    """

    organization_id: UUID
    key: str
    endpoint: str
    request_hash: bytes
    secrets: tuple[str, ...]
    response: Callable[[], Response]
    refusal_of: Callable[[Exception], ApiError | None]
    replay: Callable[[IdempotencyOutcome], Response] = as_it_was
    waits: bool = False

    def is_answered(self, store: OperationalStore) -> bool:
        """Return whether the outcome is stored for another minute: then lookups can be skipped."""
        with store.statements() as connection:
            parameters = (self.organization_id, self.key, system_clock() - RETENTION + A_MINUTE)
            return connection.execute(_ANSWERED, parameters).fetchone() is not None

    @contextmanager
    def within(self, session: WriteSession) -> Iterator[None]:
        """Run the block as the key's first request, and store its outcome.

        Raises Replayed, IdempotencyInProgress, IdempotencyConflict and IdempotencyKeyReused before
        the block. Only this and the session itself commit: an error leaves the block as an
        exception, and its outcome must be stored.
        """
        now = system_clock()
        self._be_first(session, now)
        beginning = session.begin_nested()
        try:
            yield
        except Exception as error:
            refusal = self.refusal_of(error)
            if refusal is not None and refusal.is_final and refusal.status < SERVER_ERROR:
                beginning.rollback()
                self._store(session, respond(refusal), now)
                session.commit()
            raise
        self._store(session, self.response(), now)

    def _be_first(self, session: WriteSession, now: datetime) -> None:
        until = monotonic() + (MOST_SECONDS if self.waits else 0)
        while not session.scalar(select(func.pg_try_advisory_xact_lock(self._lock))):
            if monotonic() >= until:
                raise IdempotencyInProgress
            session.rollback()  # hold no transaction or connection while waiting
            sleep(POLL_SECONDS)
        # A separate statement, to see what the lock's last holder committed.
        outcome = session.scalar(
            rows_of(IdempotencyOutcome, self.organization_id).where(
                IdempotencyOutcome.key == self.key, IdempotencyOutcome.created_at > now - RETENTION
            )
        )
        if outcome is not None:
            self._repeat(outcome)

    def _repeat(self, outcome: IdempotencyOutcome) -> None:
        if outcome.endpoint != self.endpoint:
            raise IdempotencyConflict
        if outcome.request_hash != self.request_hash:
            raise IdempotencyKeyReused
        raise Replayed(self.replay(outcome))

    def _store(self, session: WriteSession, response: Response, now: datetime) -> None:
        session.flush()
        columns = {
            "endpoint": self.endpoint,
            "request_hash": self.request_hash,
            "status": response.status_code,
            "response_body": without_secrets(bytes(response.body), self.secrets),
            "created_at": now,
        }
        first = insert(IdempotencyOutcome).values(
            organization_id=self.organization_id, key=self.key, **columns
        )
        # An existing row is older than a day.
        session.execute(
            first.on_conflict_do_update(
                index_elements=[IdempotencyOutcome.organization_id, IdempotencyOutcome.key],
                set_=columns,
            )
        )
        delete_expired(
            session, IdempotencyOutcome, IdempotencyOutcome.created_at <= now - RETENTION
        )

    @property
    def _lock(self) -> int:
        name = f"{self.organization_id}\x00{self.key}".encode()
        return int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), signed=True)
