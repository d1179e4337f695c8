"""Sessions of the operational store: reading and writing are two types.

Code that only reads takes SQLAlchemy's `Session`, so that both fit; code that writes takes a
WriteSession. Nobody inside a block commits: `writing` below is the one place.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import psycopg
from sqlalchemy import Connection, Engine, event
from sqlalchemy.orm import Session, SessionTransaction

from warehouse.clock import Clock
from warehouse.operational.errors import ReadOnlySessionError

_BOUNDS = "bounds"
"""Where a session has, in its `info`, the statements that each of its transactions begins with."""


class ReadSession(Session):
    """Sees one snapshot for its whole life and refuses to write.

    `snapshots` has connections that are REPEATABLE READ and READ ONLY.
    """

    def __init__(self, snapshots: Engine, clock: Clock, bounds: str = "") -> None:
        info = {"clock": clock, _BOUNDS: bounds}
        super().__init__(snapshots, expire_on_commit=False, info=info)

    def flush(self, objects: Sequence[Any] | None = None) -> None:  # noqa: ARG002  SQLAlchemy's
        """Raise ReadOnlySessionError where there is anything to write."""
        if self.new or self.deleted or any(self.is_modified(row) for row in self.dirty):
            raise ReadOnlySessionError("a read session was asked to write: use write_session()")


class WriteSession(Session):
    """Commits at the end of its block, or leaves nothing behind. Rows get business time."""

    def __init__(self, engine: Engine, clock: Clock, bounds: str = "") -> None:
        info = {"clock": clock, _BOUNDS: bounds}
        super().__init__(engine, expire_on_commit=False, info=info)


@event.listens_for(ReadSession, "after_begin")
@event.listens_for(WriteSession, "after_begin")
def _bound(session: Session, transaction: SessionTransaction, connection: Connection) -> None:
    bounds: str = session.info[_BOUNDS]
    if bounds and not transaction.nested:
        cast(psycopg.Connection, connection.connection.driver_connection).execute(bounds.encode())


@contextmanager
def reading(session: ReadSession) -> Iterator[ReadSession]:
    """Let the block read; the session ends with it.

    Raises ReadOnlySessionError where something was changed that nobody would ever write. The
    snapshot is committed: psycopg forgets the prepared statements of a connection that rolls back,
    and the next request would have its own planned anew.
    """
    with session:
        yield session
        session.flush()
        session.expunge_all()
        session.commit()


@contextmanager
def writing(session: WriteSession) -> Iterator[WriteSession]:
    """Make the block one transaction; the session ends with it."""
    with session:
        yield session
        session.commit()


def driver_of(session: Session) -> psycopg.Connection:
    """Return the driver's connection, in the session's transaction.

    For a COPY, and for the statements of the busiest reads: through SQLAlchemy they cost three
    times as much. What was not flushed is not seen.
    """
    pooled = session.connection().connection
    return cast(psycopg.Connection, pooled.driver_connection)
