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
