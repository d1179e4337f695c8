"""Dagster's history (runs, events, ticks) in PostgreSQL, in a schema of the service's database.

It is Dagster's storage with two differences. The URL comes from our settings in each process: in
Dagster's settings it would be on the command line of every run, with its password. And connections
stay open, where Dagster opens one per statement: 300 events took 14 s instead of 1.5 s.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from json import JSONDecodeError
from time import strftime
from typing import Any, Self

from dagster import DagsterInstance, DagsterInvalidConfigError
from dagster_postgres import DagsterPostgresStorage
from dagster_postgres.utils import DagsterPostgresException
from dagster_shared.check import CheckError
from dagster_shared.serdes.errors import DeserializationError
from sqlalchemy import URL, NullPool, create_engine, text
from sqlalchemy.exc import ProgrammingError, SQLAlchemyError
from sqlalchemy.schema import CreateSchema

from orchestration.running.instance import dagster_home
from warehouse.dagster_settings import DAGSTER_SCHEMA
from warehouse.operational.engines import IDLE, LONGEST_IDLE
from warehouse.operational.errors import OperationalStoreError
from warehouse.operational.session_lock import LONGEST_WAIT
from warehouse.operational.store import url_as_it_is
from warehouse.settings import Settings

SESSION = f"-csynchronous_commit=off -ctimezone=UTC -c{IDLE}={LONGEST_IDLE}"
"""A server crash may lose the last events only; readings and publications do not depend on them. A
run's `create_timestamp` is the session's local time, which Dagster 1.13 reads as UTC.
"""
STATEMENT_MILLISECONDS = 60_000
RECYCLED_SECONDS = 10
"""The first statement after a restart of PostgreSQL failed its run if its connection was older."""
MORE_AT_ONCE = 10

_AWAIT_TURN = text(
    f"select set_config('lock_timeout', '{LONGEST_WAIT}', true),"
    f" pg_advisory_lock(hashtextextended('{DAGSTER_SCHEMA}', 0))"
)

_opening: ContextVar[Settings | None] = ContextVar("opening", default=None)
"""Settings of the history that this process opens; None: those of the environment."""


DAMAGED = (DeserializationError, JSONDecodeError, ProgrammingError)
"""Errors that waiting does not mend, such as those of torn rows and missing tables."""
UNREADABLE = (SQLAlchemyError, DagsterPostgresException, OperationalStoreError, *DAMAGED)
ENDED = "PostgreSQL ended or restarted: run it again once it is there."
SET_ASIDE = (
    f"If it is damaged, run `alter schema {DAGSTER_SCHEMA} rename to"
    f" {DAGSTER_SCHEMA}_damaged_{strftime('%Y%m%dt%H%M%S')}` in"
    " PostgreSQL, and start again: no numbers depend on it."
)


class HistoryUnusableError(Exception):
    """Dagster's settings or its history cannot be used; the message has the reason."""

    def __init__(self, message: str, way_out: str) -> None:
        super().__init__(message)
        self.way_out = way_out


def open_instance(settings: Settings) -> DagsterInstance:
    """Open the installation's history (use as a context manager), while PostgreSQL runs.

    Raises HistoryUnusableError.
    """
    opening = _opening.set(settings)
    try:
        with history_errors():
            return DagsterInstance.from_config(str(dagster_home(settings)))
    finally:
        _opening.reset(opening)


def require_usable(instance: DagsterInstance) -> None:
    """Raise HistoryUnusableError for settings that Dagster 1.13 reads only when it needs them."""
    with history_errors():
        _ = instance.run_launcher, instance.run_coordinator, instance.compute_log_manager


class OwnSchemaStorage(DagsterPostgresStorage):
    """Runs, events and ticks in a schema of the service's database. `dagster.yaml` names it."""

    @classmethod
    def config_type(cls) -> dict[str, Any]:
        """Return Dagster's config schema: there is nothing to configure."""
        return {}

    @classmethod
    def from_config_value(cls, inst_data: Any, _config_value: Any) -> Self:
        """Return the storage of this process's settings, after creating its schema."""
        settings = _opening.get() or Settings()
        url = _history_url(settings)
        with _creating(url):
            storage = cls(url.render_as_string(hide_password=False), inst_data=inst_data)
        for part in (storage.run_storage, storage.event_log_storage, storage.schedule_storage):
            part.optimize_for_webserver(
                STATEMENT_MILLISECONDS, pool_recycle=RECYCLED_SECONDS, max_overflow=MORE_AT_ONCE
            )
        return storage


def _history_url(settings: Settings) -> URL:
    """Return the URL of the history, for Dagster's driver."""
    url = url_as_it_is(settings)
    if url is None:
        raise OperationalStoreError(f"no PostgreSQL runs in {settings.home_path}")
    options = f"{url.query.get('options', '')} -csearch_path={DAGSTER_SCHEMA} {SESSION}"
    return url.set(drivername="postgresql+psycopg2").update_query_dict({"options": options.strip()})


@contextmanager
def _creating(url: URL) -> Iterator[None]:
    """Create the schema, and let no other process create tables in it until this ends.

    Where two create a table at once, Dagster retries only some of PostgreSQL's errors.
    """
    engine = create_engine(url, poolclass=NullPool, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:  # the lock ends with it
        connection.execute(_AWAIT_TURN)
        if not engine.dialect.has_schema(connection, DAGSTER_SCHEMA):
            connection.execute(CreateSchema(DAGSTER_SCHEMA))
        yield


@contextmanager
def history_errors() -> Iterator[None]:
    """Turn Dagster's errors about its settings and its history into HistoryUnusableError."""
    try:
        yield
    except (DagsterInvalidConfigError, CheckError) as refused:
        reason = " ".join(str(refused).split())
        message = f"Dagster rejects its settings: {reason}"
        raise HistoryUnusableError(message, "See TRACKER_DAGSTER_SETTINGS.") from refused
    except UNREADABLE as unreadable:
        reason = " ".join(str(unreadable).partition("\n[SQL")[0].split())
        message = f"Dagster's history cannot be read: {reason}"
        has_ended = getattr(unreadable, "connection_invalidated", False)
        way_out = ENDED if has_ended else SET_ASIDE
        raise HistoryUnusableError(message, way_out) from unreadable
