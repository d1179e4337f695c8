"""Sessions of the operational store, with separate types for reading and writing.

Code that reads takes SQLAlchemy's `Session`, so that both fit; code that writes takes a
WriteSession. No code inside a block commits; `writing` below does.
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
"""Key in a session's `info` of the statements with which each transaction begins."""


class ReadSession(Session):
    """Sees one snapshot for its whole life and refuses to write.

    `snapshots` has connections that are REPEATABLE READ and READ ONLY.
    """

    def __init__(self, snapshots: Engine, clock: Clock, bounds: str = "") -> None:
        info = {"clock": clock, _BOUNDS: bounds}
        super().__init__(snapshots, expire_on_commit=False, info=info)

    def flush(self, objects: Sequence[Any] | None = None) -> None:  # noqa: ARG002  SQLAlchemy's
        """Raise ReadOnlySessionError if there are changes."""
        if self.new or self.deleted or any(self.is_modified(row) for row in self.dirty):
            raise ReadOnlySessionError("a read session has changes: use write_session()")


class WriteSession(Session):
    """Commits at the end of its block, or rolls back. Rows get business time."""

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
    """Yield the session and close it after the block.

    Raises ReadOnlySessionError for changes, which would be lost. The snapshot is committed,
    because psycopg (3) drops a connection's prepared statements after a rollback, and the next
    request would prepare them again.
    """
    with session:
        yield session
        session.flush()
        session.expunge_all()
        session.commit()


@contextmanager
def writing(session: WriteSession) -> Iterator[WriteSession]:
    """Run the block as one transaction, and close the session."""
    with session:
        yield session
        session.commit()


def driver_of(session: Session) -> psycopg.Connection:
    """Return the driver's connection, in the session's transaction.

    For COPY and the statements of the most frequent reads, which cost three times as much through
    SQLAlchemy. Unflushed changes are not visible.
    """
    pooled = session.connection().connection
    return cast(psycopg.Connection, pooled.driver_connection)
