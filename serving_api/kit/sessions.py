"""Database sessions of a request, and the one place that commits.

A read session and a write session are two types, so code that writes cannot be handed the former.
A session takes a connection at its first statement, inside the endpoint's own thread: a request
that waits for a thread holds none, so threads and connections cannot wait for each other.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.orm import Session

from serving_api.http.audit import deed_of
from serving_api.idempotency.attempt import Attempt
from serving_api.kit.cursor import SEAL
from serving_api.services import services_of
from warehouse.operational.audit import recorded
from warehouse.operational.session import ReadSession, WriteSession, reading, writing

ReadSessions = Callable[[], AbstractContextManager[ReadSession]]

REQUEST = "request"
"""Where a write session has the request that it is for, in its `info`."""
ORIGIN = "origin"
"""Where a request's session has the origin that people reach (TRACKER_BASE_URL), in its `info`."""


async def read_session(request: Request) -> ReadSession:
    """Return a session that has read nothing yet. Who answers ends it: see `used_by`."""
    return _new(request)


async def read_sessions(request: Request) -> ReadSessions:
    """Return what opens read sessions, for an answer that is made while it is sent.

    Each is a block of its own, so that a slow client holds no connection while it waits.
    """
    return lambda: reading(_new(request))


async def write_session(request: Request) -> WriteSession:
    """Return a session that has written nothing yet. Who answers ends it: see `used_by`."""
    store = services_of(request).store
    session = WriteSession(store.engine, store.clock)
    session.info[REQUEST] = request
    _inform(session, request)
    return session


@contextmanager
def used_by(arguments: Iterable[object]) -> Iterator[Attempt | None]:
    """Let the block be the work with the session among an endpoint's arguments, and end it.

    Yields the attempt under the request's Idempotency-Key, where it has one, which is to be told
    the response. All of it happens in one thread: a request that waited for another one, holding a
    connection, could wait for those that have a thread and wait for a connection.
    """
    for session in arguments:
        if isinstance(session, ReadSession):
            with reading(session):
                yield None
            return
        if isinstance(session, WriteSession):
            with _writing(session) as attempt:
                yield attempt
            return
    yield None


@contextmanager
def _writing(session: WriteSession) -> Iterator[Attempt | None]:
    """Commit what the block wrote, or roll it back.

    What was written is noted in the audit log and the change log, and the outcome under the
    request's Idempotency-Key.
    """
    request: Request = session.info[REQUEST]
    attempt: Attempt | None = getattr(request.state, "attempt", None)
    with (
        writing(session),
        attempt.within(session) if attempt else nullcontext(),
        recorded(session, lambda: deed_of(request)),
    ):
        yield attempt


def _new(request: Request) -> ReadSession:
    store = services_of(request).store
    session = ReadSession(store.snapshots, store.clock)
    _inform(session, request)
    return session


def _inform(session: Session, request: Request) -> None:
    """Tell the session what whoever presents its rows has to know of the application."""
    services = services_of(request)
    session.info[SEAL] = services.seal
    session.info[ORIGIN] = services.origin


ReadDb = Annotated[ReadSession, Depends(read_session)]
ReadDbs = Annotated[ReadSessions, Depends(read_sessions)]
WriteDb = Annotated[WriteSession, Depends(write_session)]
