"""Database sessions of a request as dependencies, and the one place that commits.

A read session and a write session are two types, so code that writes cannot be handed the former.
FastAPI ends both when the answer is made and before it is sent (`scope="function"`): nothing is
reported as done that was not committed, and a slow client holds no connection.

Threads and connections must not wait for each other, so whoever has a connection never waits for a
thread. A session takes one at its first statement, inside the endpoint's own thread, or with an
Idempotency-Key as it begins; there are no more write sessions at once than threads for them; and
what ends a session runs in threads in which nothing asks for a connection. That further turn of a
thread costs a read about 7% of its processor time (a list 15.1 to 16.0 ms, a question of analytics
4.2 to 4.6 ms, in turns with one that ended sessions in the endpoint's thread).
"""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, AsyncExitStack, nullcontext
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request
from sqlalchemy.orm import Session

from serving_api.http.audit import audit_event_of
from serving_api.idempotency.dependency import MaybeIdempotent
from serving_api.kit.cursor import SEAL
from serving_api.kit.json_text import SMALL_BYTES
from serving_api.kit.services import services_of
from serving_api.kit.threads import MANY, left_aside
from warehouse.operational.audit import recorded
from warehouse.operational.session import ReadSession, WriteSession, reading, writing
from warehouse.operational.unpublished import AWAITED

ReadSessions = Callable[[], AbstractContextManager[ReadSession]]

REQUEST = "request"
"""Where a session has the request that it is for, in its `info`."""
ORIGIN = "origin"
"""Where a request's session has the origin that people reach (TRACKER_BASE_URL), in its `info`."""


BOUNDS = "set local lock_timeout = '5s'; set local statement_timeout = '20s'"
"""For the sessions of requests, by the store of their services: jobs may take longer."""


async def read_session(request: Request) -> AsyncIterator[ReadSession]:
    """Yield a session that has read nothing yet, for an endpoint that only reads.

    Raises RateLimitExceeded and Busy where the organization's share is used up for too long.
    """
    shares, customer = services_of(request).shares, _customer(request)
    async with AsyncExitStack() as slots:
        if request.method == "GET":
            await slots.enter_async_context(shares.computing.slot_aside(customer))
            await slots.enter_async_context(shares.reads.slot_aside(customer))
        else:
            await slots.enter_async_context(shares.outgoing.slot_aside(customer))
        yield await slots.enter_async_context(left_aside(reading(_new(request))))


async def read_sessions(request: Request) -> AsyncIterator[ReadSessions]:
    """Yield what opens read sessions, for an answer that is made while it is sent.

    Each is a block of its own, so that a slow client holds no connection while it waits. An answer
    that is streamed may take longer than `BOUNDS`, and has a place until it is sent.
    Raises RateLimitExceeded and Busy.
    """
    async with services_of(request).shares.streams.slot_aside(_customer(request)):
        yield lambda: reading(_new(request, ""))


async def sessions_beside_bucket(request: Request) -> AsyncIterator[ReadSessions]:
    """Yield what opens read sessions, for an endpoint that asks a bucket outside of them.

    A bucket may take long to answer: reads of the databases do not wait for it.
    Raises RateLimitExceeded and Busy.
    """
    async with services_of(request).shares.outgoing.slot_aside(_customer(request)):
        yield lambda: reading(_new(request))


async def _slot(request: Request) -> AsyncIterator[None]:
    """Wait for one of the organization's places among writes, before there is a session.

    A large one waits for the processor first: while it waits, small ones have the places.
    """
    shares, customer = services_of(request).shares, _customer(request)
    is_large = getattr(request.state, "body_bytes", 0) > SMALL_BYTES
    async with (
        shares.computing.slot_aside(customer) if is_large else nullcontext(),
        shares.writes.slot_aside(customer),
    ):
        yield


def _customer(request: Request) -> UUID | None:
    """Return whose share a request takes; pages without an organization share one."""
    caller = getattr(request.state, "caller", None)
    return caller.organization_id if caller else None


def write_session(
    request: Request,
    idempotent_request: MaybeIdempotent,
    _slot: Annotated[None, Depends(_slot, scope="function")],
) -> Iterator[WriteSession]:
    """Yield a session; commit what was written with it, or roll it back where anything raises.

    What was written is noted in the audit log and the change log, and the outcome under the
    request's Idempotency-Key.
    """
    store, caller = services_of(request).store, getattr(request.state, "caller", None)
    is_person = caller is not None and caller.channel == "page"
    bounds = f"{store.bounds}; {AWAITED}" if is_person else store.bounds
    session = WriteSession(store.engine, store.clock, bounds)
    _inform(session, request)
    with (
        writing(session),
        idempotent_request.within(session) if idempotent_request else nullcontext(),
        recorded(session, lambda: audit_event_of(request)),
    ):
        yield session


def _new(request: Request, bounds: str | None = None) -> ReadSession:
    store = services_of(request).store
    session = ReadSession(store.snapshots, store.clock, store.bounds if bounds is None else bounds)
    _inform(session, request)
    return session


def _inform(session: Session, request: Request) -> None:
    """Tell the session what whoever presents its rows has to know of the application."""
    services = services_of(request)
    session.info[REQUEST] = request
    session.info[SEAL] = services.seal
    session.info[ORIGIN] = services.settings.base_url


ReadDb = Annotated[ReadSession, Depends(read_session, scope="function")]
ReadDbs = Annotated[ReadSessions, Depends(read_sessions, scope="request")]
BucketDbs = Annotated[ReadSessions, Depends(sessions_beside_bucket, scope="function")]
WriteDb = Annotated[WriteSession, Depends(write_session, scope="function", max_concurrency=MANY)]
