"""Database sessions of a request, and the one place that commits.

A read session and a write session are two types, so code that writes cannot be handed the former.
A session takes a connection at its first statement, inside the endpoint's own thread: a request
that waits for a thread holds none, so threads and connections cannot wait for each other.
"""

from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import nullcontext
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.orm import Session

from serving_api.audit import deed_of
from serving_api.idempotency.attempt import Attempt
from serving_api.kit.cursor import SEAL
from warehouse.operational.audit import recorded
from warehouse.operational.session import ReadSession, WriteSession
from warehouse.operational.store import OperationalStore

ORIGIN = "origin"
"""Where a request's session has the origin that people reach (TRACKER_BASE_URL), in its `info`."""


def store_of(request: Request) -> OperationalStore:
    """Return the operational store that the application was made with."""
    store: OperationalStore = request.app.state.store
    return store


async def read_session(request: Request) -> AsyncIterator[ReadSession]:
    """Open a read session for one request. Who answers ends it, in the thread that read."""
    with store_of(request).read_session() as session:
        _inform(session, request)
        yield session


def end_reading(arguments: Iterable[object]) -> None:
    """Give the connections of all read sessions among an endpoint's arguments back."""
    for session in arguments:
        if isinstance(session, ReadSession):
            session.flush()  # a change that nobody would write is a mistake to hear of
            session.close()


def write_session(request: Request) -> Iterator[WriteSession]:
    """Open a write session for one request: commits once the endpoint returned, else rolls back.

    Its scope is the endpoint's call, so the commit comes before the answer is sent. What was
    written is noted in the audit log and the change log, and the outcome under the request's
    Idempotency-Key, where it has one.
    """
    attempt: Attempt | None = getattr(request.state, "attempt", None)
    with (
        store_of(request).write_session() as session,
        attempt.within(session) if attempt else nullcontext(),
        recorded(session, lambda: deed_of(request)),
    ):
        _inform(session, request)
        yield session


def _inform(session: Session, request: Request) -> None:
    """Tell the session what whoever presents its rows has to know of the application."""
    session.info[SEAL] = request.app.state.seal
    session.info[ORIGIN] = request.app.state.origin


ReadDb = Annotated[ReadSession, Depends(read_session)]
WriteDb = Annotated[WriteSession, Depends(write_session, scope="function")]
