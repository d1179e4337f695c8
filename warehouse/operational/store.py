"""Opens the operational store: any PostgreSQL by URL, or the embedded one.

The embedded server is in server.py, the schema in migrations.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import psycopg
from sqlalchemy import URL, Connection, Engine, make_url, text
from sqlalchemy.exc import ArgumentError, OperationalError

from warehouse.backup.unfinished import unfinished_restore
from warehouse.clock import Clock
from warehouse.operational.engines import (
    NOTICE_LOST_SERVER,
    autocommit,
    snapshots,
    transactions,
)
from warehouse.operational.errors import (
    HalfRestoredError,
    PostgresTooOldError,
    PostgresUnreachableError,
)
from warehouse.operational.server import DATABASE, PORT, SUPERUSER, embedded_server, running_server
from warehouse.operational.session import ReadSession, WriteSession, reading, writing
from warehouse.settings import Settings

DRIVER = "postgresql+psycopg"
OLDEST_VERSION = 17


@dataclass(frozen=True)
class OperationalStore:
    """An open operational store, which threads may share.

    `engine` is for transactions, `snapshots` for read-only ones (REPEATABLE READ), and
    `autocommit` for single statements. Each has its own connections, because switching a
    connection's mode costs as much as a statement. Transactions of sessions begin with `bounds`.
    """

    engine: Engine
    snapshots: Engine
    autocommit: Engine
    clock: Clock
    bounds: str = ""

    @property
    def url(self) -> URL:
        """The SQLAlchemy URL (`postgresql+psycopg://`); as text it hides the password."""
        return self.engine.url

    @property
    def dsn(self) -> str:
        """The plain `postgresql://` URI, with the password, for psycopg and ADBC.

        SQLAlchemy (2) writes a space in a parameter as `+`; libpq decodes only `%20`.
        """
        text = self.url.set(drivername="postgresql").render_as_string(hide_password=False)
        address, separator, parameters = text.partition("?")
        return address + separator + parameters.replace("+", "%20")

    def read_session(self) -> AbstractContextManager[ReadSession]:
        """Return a block that reads one snapshot and cannot write."""
        return reading(ReadSession(self.snapshots, self.clock, self.bounds))

    def write_session(self) -> AbstractContextManager[WriteSession]:
        """Return a block that is one transaction: committed at its end, or rolled back."""
        return writing(WriteSession(self.engine, self.clock, self.bounds))

    @contextmanager
    def statements(self) -> Iterator[psycopg.Connection]:
        """Yield a driver connection for the few statements that every request runs.

        Each is its own transaction, whose commit does not wait for the disk. Through SQLAlchemy
        they cost three times as much. Raises psycopg.OperationalError.
        """
        pooled = self.autocommit.raw_connection()
        connection = cast(psycopg.Connection, pooled.driver_connection)
        try:
            yield connection
        finally:
            if connection.closed:
                pooled.invalidate()
            pooled.close()


def embedded_path(settings: Settings) -> Path:
    """Return the folder of the embedded server, which exists once it was started."""
    return settings.home_path / "postgres"


@contextmanager
def operational_store(settings: Settings) -> Iterator[OperationalStore]:
    """Open the store for the block, with the embedded server if there is no URL.

    Raises OperationalStoreError.
    """
    if restore := unfinished_restore(settings.home_path):
        raise HalfRestoredError(
            f"a restore into {settings.home_path} has not finished: wait for it, or if it was "
            f"interrupted, run `{restore.command}` again"
        )
    with store_to_restore(settings) as store:
        yield store


@contextmanager
def store_to_restore(settings: Settings) -> Iterator[OperationalStore]:
    """Open the store like `operational_store`, for the restore that runs in the folder."""
    with _address(settings) as url, _opened(url, settings) as store:
        yield store


@contextmanager
def store_as_it_is(settings: Settings) -> Iterator[OperationalStore | None]:
    """Open the store without starting or changing anything; None if the embedded server is down.

    Raises OperationalStoreError.
    """
    url = url_as_it_is(settings)
    if url is None:
        yield None
        return
    with _opened(url, settings) as store:
        yield store


def url_as_it_is(settings: Settings) -> URL | None:
    """Return the URL of the store, with the password; None if the embedded server is down."""
    if settings.database_url:
        return given_url(settings.database_url.get_secret_value())
    socket_folder = running_server(embedded_path(settings))
    return _embedded(socket_folder) if socket_folder else None


@contextmanager
def _opened(url: URL, settings: Settings) -> Iterator[OperationalStore]:
    with transactions(url) as engine, snapshots(url) as reading_only, autocommit(url) as at_once:
        _check(engine)
        yield OperationalStore(engine, reading_only, at_once, settings.clock)


@contextmanager
def _address(settings: Settings) -> Iterator[URL]:
    if settings.database_url:
        yield given_url(settings.database_url.get_secret_value())
        return
    with embedded_server(embedded_path(settings)) as socket_folder:
        yield _embedded(socket_folder)


def _embedded(socket_folder: Path) -> URL:
    where = {"host": str(socket_folder), "port": PORT}
    return URL.create(DRIVER, username=SUPERUSER, database=DATABASE, query=where)


def given_url(text: str) -> URL:
    """Return TRACKER_DATABASE_URL as a URL for our driver, which notices a lost server.

    Its own parameters win. Raises PostgresUnreachableError, which never repeats it.
    """
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):  # the latter for a port that is no number
        url = None
    if url is None or url.get_backend_name() not in {"postgresql", "postgres"}:
        raise PostgresUnreachableError(
            "TRACKER_DATABASE_URL is not a PostgreSQL URL: use postgresql://USER:PASSWORD@HOST/NAME"
        )
    return url.set(drivername=DRIVER, query={**NOTICE_LOST_SERVER, **url.query})


def _check(engine: Engine) -> None:
    """Raise unless a recent enough PostgreSQL answers."""
    try:
        with engine.connect() as connection:
            version = _server_version(connection)
    except OperationalError as error:
        raise PostgresUnreachableError(
            f"no PostgreSQL answers at {_redacted(engine.url)}: start it, correct "
            "TRACKER_DATABASE_URL, or leave it empty to use the embedded server "
            f"({_one_line(error.orig)})"
        ) from error
    if version < OLDEST_VERSION:
        raise PostgresTooOldError(
            f"PostgreSQL {version} at {_redacted(engine.url)} is too old: use {OLDEST_VERSION} or"
            " newer, or leave TRACKER_DATABASE_URL empty to use the embedded server"
        )


def _redacted(url: URL) -> str:
    """Return a URL as it was given, without its secrets."""
    shown = url.set(drivername="postgresql")
    return repr(shown.difference_update_query(["password", "sslpassword", *NOTICE_LOST_SERVER]))


def _one_line(error: BaseException | None) -> str:
    """Return libpq's message without its hints, which are indented (18)."""
    return " ".join(line for line in str(error).splitlines() if line.strip() == line)


def _server_version(connection: Connection) -> int:
    number: int = connection.execute(
        text("select current_setting('server_version_num')::int")
    ).scalar_one()
    return number // 10_000
