"""Sessions of the operational store: reading and writing are two types.

Code that only reads takes SQLAlchemy's `Session`, so that both fit; code that writes takes a
WriteSession. Nobody inside a block commits: `writing` below is the one place.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from warehouse.clock import Clock
from warehouse.operational.errors import ReadOnlySessionError


class ReadSession(Session):
    """Sees one snapshot for its whole life (REPEATABLE READ, READ ONLY) and refuses to write."""

    def flush(self, objects: Sequence[Any] | None = None) -> None:  # noqa: ARG002  SQLAlchemy's
        """Raise ReadOnlySessionError where there is anything to write."""
        if self.new or self.deleted or any(self.is_modified(row) for row in self.dirty):
            raise ReadOnlySessionError("a read session was asked to write: use write_session()")


class WriteSession(Session):
    """Commits at the end of its block, or leaves nothing behind."""


@lru_cache(maxsize=8)
def _snapshots(engine: Engine) -> Engine:
    """Return the engine for reading, made once: SQLAlchemy takes a while to make one."""
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


@contextmanager
def reading(engine: Engine, clock: Clock) -> Iterator[ReadSession]:
    """Yield a session that reads one snapshot."""
    with ReadSession(_snapshots(engine), expire_on_commit=False, info={"clock": clock}) as session:
        yield session
        session.flush()  # a change nobody would ever write is a mistake to hear of


@contextmanager
def writing(engine: Engine, clock: Clock) -> Iterator[WriteSession]:
    """Yield a session whose block is one transaction, stamped with business time."""
    with WriteSession(engine, expire_on_commit=False, info={"clock": clock}) as session:
        yield session
        session.commit()
