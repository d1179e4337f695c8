"""Errors of the operational store. Every message says what to do.

OperationalStoreError
├── PostgresUnreachableError   no usable server at TRACKER_DATABASE_URL
├── PostgresTooOldError        the server is older than PostgreSQL 17
├── ReadOnlySessionError       a read session has changes
├── HalfRestoredError          a restore into the data folder has not finished
└── EmbeddedServerError
    ├── BinariesMissingError   the installation has no PostgreSQL
    ├── DataFolderClosedError  the data folder cannot be written or reached
    └── ServerFailedError      initdb, start or stop failed; carries PostgreSQL's output
"""

import psycopg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoFreeConnection


class OperationalStoreError(Exception):
    """The operational store cannot do what was asked."""


class PostgresUnreachableError(OperationalStoreError):
    """No usable server answers at the address."""


class PostgresTooOldError(OperationalStoreError):
    """The server is older than PostgreSQL 17."""


class ReadOnlySessionError(OperationalStoreError):
    """A read session has changes: use a WriteSession."""


class HalfRestoredError(OperationalStoreError):
    """A restore into the data folder was interrupted, or is running."""


class EmbeddedServerError(OperationalStoreError):
    """The embedded server cannot be used."""


class BinariesMissingError(EmbeddedServerError):
    """The installation has no PostgreSQL binaries."""


class DataFolderClosedError(EmbeddedServerError):
    """The data folder cannot be written, or the server's user cannot reach it."""


class ServerFailedError(EmbeddedServerError):
    """PostgreSQL failed to initialize, start or stop."""


AWAY = ("08", "53300", "57P01", "57P02", "57P03")
"""Starts of SQLSTATEs of a server that disconnects, is full, stops, crashed or starts."""


def timed_out(error: BaseException) -> bool:
    """Return whether a lock or statement exceeded the session's timeouts."""
    if isinstance(error, DBAPIError):
        return error.orig is not None and timed_out(error.orig)
    return isinstance(error, psycopg.errors.LockNotAvailable | psycopg.errors.QueryCanceled)


def is_lost(error: BaseException) -> bool:
    """Return whether the same request can succeed once PostgreSQL is back.

    Accepts errors of psycopg and SQLAlchemy. An error of the connection, not of the server, has no
    SQLSTATE.
    """
    if isinstance(error, NoFreeConnection):
        return True
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or (error.orig is not None and is_lost(error.orig))
    if not isinstance(error, psycopg.OperationalError):
        return False
    return error.sqlstate is None or error.sqlstate.startswith(AWAY)
