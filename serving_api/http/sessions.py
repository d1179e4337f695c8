"""Database sessions as dependencies; the only place that commits.

Read and write sessions are two types, so that writing code cannot get a read session. FastAPI ends
both after the response is built and before it is sent (`scope="function"`): no response reports
uncommitted work, and slow clients hold no connection.

To avoid deadlocks between threads and connections, a holder of a connection never waits for a
thread. A session connects at its first statement inside the endpoint's thread, or at its start
with an Idempotency-Key. There are at most as many write sessions as threads for them. Sessions end
in threads that never wait for connections; this extra thread switch costs a read about 7%
processor time (a list 15.1 to 16.0 ms, an analytics query 4.2 to 4.6 ms, in alternating
measurements).
"""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, AsyncExitStack, nullcontext
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request
from sqlalchemy.orm import Session

from serving_api.http.log_fields import audit_event_of
from serving_api.idempotency.dependency import MaybeIdempotent
from serving_api.kit.cursor import SEAL
from serving_api.kit.json_text import SMALL_BYTES
from serving_api.kit.services import services_of
from serving_api.kit.threads import WAIT_THREADS, left_aside
from warehouse.operational.audit import recorded
from warehouse.operational.session import ReadSession, WriteSession, reading, writing
from warehouse.operational.unpublished import AWAITED

ReadSessions = Callable[[], AbstractContextManager[ReadSession]]

REQUEST = "request"
"""Key of the request in a session's `info`."""
ORIGIN = "origin"
"""Key of the public origin (TRACKER_BASE_URL) in a session's `info`."""


BOUNDS = "set local lock_timeout = '5s'; set local statement_timeout = '20s'"
"""Timeouts of request sessions, set through the services' store; jobs may take longer."""


async def read_session(request: Request) -> AsyncIterator[ReadSession]:
    """Yield a read session for an endpoint that only reads.

    Raises RateLimitExceeded and Busy if the organization's share stays used up.
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
    """Yield a factory of read sessions, for streamed responses.

    Each session is a block of its own, so that slow clients hold no connection. Streams have no
    `BOUNDS`, and keep their slot until they are sent. Raises RateLimitExceeded and Busy.
    """
    async with services_of(request).shares.streams.slot_aside(_customer(request)):
        yield lambda: reading(_new(request, ""))


async def sessions_beside_bucket(request: Request) -> AsyncIterator[ReadSessions]:
    """Yield a factory of read sessions, for endpoints that use a bucket outside of them.

    Buckets may be slow; database reads do not wait for them. Raises RateLimitExceeded and Busy.
    """
    async with services_of(request).shares.outgoing.slot_aside(_customer(request)):
        yield lambda: reading(_new(request))


async def _slot(request: Request) -> AsyncIterator[None]:
    """Acquire one of the organization's write slots before there is a session.

    Large requests first wait for a computing slot, without occupying a write slot.
    """
    shares, customer = services_of(request).shares, _customer(request)
    is_large = getattr(request.state, "body_bytes", 0) > SMALL_BYTES
    async with (
        shares.computing.slot_aside(customer) if is_large else nullcontext(),
        shares.writes.slot_aside(customer),
    ):
        yield


def _customer(request: Request) -> UUID | None:
    """Return the organization whose share the request uses; pages without one share None."""
    caller = getattr(request.state, "caller", None)
    return caller.organization_id if caller else None


def write_session(
    request: Request,
    idempotent_request: MaybeIdempotent,
    _slot: Annotated[None, Depends(_slot, scope="function")],
) -> Iterator[WriteSession]:
    """Yield a session; commit at the end, or roll back on an exception.

    Also writes the audit log, the change log, and the outcome of an Idempotency-Key.
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
    """Store in the session what presenting its rows needs of the application.

    The page of a rejected form uses `request.state.session` again, and ends it (`desk.entered`).
    """
    request.state.session = session
    services = services_of(request)
    session.info[REQUEST] = request
    session.info[SEAL] = services.seal
    session.info[ORIGIN] = services.settings.base_url


ReadDb = Annotated[ReadSession, Depends(read_session, scope="function")]
ReadDbs = Annotated[ReadSessions, Depends(read_sessions, scope="request")]
BucketDbs = Annotated[ReadSessions, Depends(sessions_beside_bucket, scope="function")]
WriteDb = Annotated[
    WriteSession, Depends(write_session, scope="function", max_concurrency=WAIT_THREADS)
]
