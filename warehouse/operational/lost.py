"""Whether an error says that PostgreSQL is away, and not that it refused what was asked."""

import psycopg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoFreeConnection

AWAY = ("08", "53300", "57P01", "57P02", "57P03")
"""How the SQLSTATE begins of a server that breaks off, is full, ends, crashed, or is starting."""


def timed_out(error: BaseException) -> bool:
    """Tell whether a lock or a statement took longer than a session's bounds allow."""
    if isinstance(error, DBAPIError):
        return error.orig is not None and timed_out(error.orig)
    return isinstance(error, psycopg.errors.LockNotAvailable | psycopg.errors.QueryCanceled)


def is_lost(error: BaseException) -> bool:
    """Tell whether the same request can succeed as it is, once PostgreSQL is back.

    Understands psycopg's errors and SQLAlchemy's. One that is not of the server, which is away,
    but of the connection has no SQLSTATE.
    """
    if isinstance(error, NoFreeConnection):
        return True
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or (error.orig is not None and is_lost(error.orig))
    if not isinstance(error, psycopg.OperationalError):
        return False
    return error.sqlstate is None or error.sqlstate.startswith(AWAY)
