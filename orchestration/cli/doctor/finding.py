"""A finding, and what the checks examine."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Literal

from sqlalchemy.exc import ProgrammingError
from sqlalchemy.orm import Session

from warehouse.operational.errors import OperationalStoreError
from warehouse.operational.store import OperationalStore, store_as_it_is
from warehouse.settings import Settings

Level = Literal["ok", "warn", "bad"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report. `way_out` says what to do; None if nothing is wrong."""

    subject: str
    level: Level
    message: str
    way_out: str | None = None


class StoreUnusableError(Exception):
    """PostgreSQL cannot be used, which `check_postgresql` and `check_schema` report."""


@dataclass(frozen=True, slots=True)
class Installation:
    """What is examined: the settings, and where the API listens."""

    settings: Settings
    host: str
    port: int

    @contextmanager
    def store(self) -> Iterator[OperationalStore]:
        """Open the store without starting or changing anything. Raises StoreUnusableError."""
        try:
            with store_as_it_is(self.settings) as store:
                if store is None:
                    raise StoreUnusableError
                yield store
        except (OperationalStoreError, ProgrammingError) as error:
            raise StoreUnusableError from error

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Open a session that reads. Raises StoreUnusableError."""
        with self.store() as store, store.read_session() as session:
            yield session


def answered(began: float) -> str:
    """Return the time since `began` (by `time.monotonic`) as text."""
    return f"answers in {1000 * (monotonic() - began):.0f} ms"


Check = Callable[[Installation], Iterator[Finding]]


def ok(subject: str, message: str) -> Finding:
    return Finding(subject, "ok", message)


def warn(subject: str, message: str, way_out: str) -> Finding:
    """Return a finding that needs attention."""
    return Finding(subject, "warn", message, way_out)


def bad(subject: str, message: str, way_out: str) -> Finding:
    """Return a finding that keeps the service from working."""
    return Finding(subject, "bad", message, way_out)
