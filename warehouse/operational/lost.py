"""Tells errors of an unavailable PostgreSQL from refused statements."""

import psycopg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoFreeConnection

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
