"""What can go wrong between us and PostgreSQL. Every message names the way out.

OperationalStoreError
├── PostgresUnreachableError   nothing usable answers at TRACKER_DATABASE_URL
├── PostgresTooOldError        it answers, but is older than PostgreSQL 17
├── ReadOnlySessionError       a read session was asked to write
├── HalfRestoredError          a restore into the data folder has not ended
└── EmbeddedServerError
    ├── BinariesMissingError   no PostgreSQL in the installation
    ├── DataFolderClosedError  the data folder cannot be written or reached
    └── ServerFailedError      initdb, start or stop failed; carries what PostgreSQL said
"""


class OperationalStoreError(Exception):
    """The operational store cannot do what was asked."""


class PostgresUnreachableError(OperationalStoreError):
    """Nothing usable answers at the address."""


class PostgresTooOldError(OperationalStoreError):
    """The server is older than PostgreSQL 17."""


class ReadOnlySessionError(OperationalStoreError):
    """A read session holds changes: what writes takes a WriteSession."""


class HalfRestoredError(OperationalStoreError):
    """A restore into the data folder was interrupted, or is at work."""


class EmbeddedServerError(OperationalStoreError):
    """The embedded server cannot be used."""


class BinariesMissingError(EmbeddedServerError):
    """The installation has no PostgreSQL binaries."""


class DataFolderClosedError(EmbeddedServerError):
    """The data folder cannot be written, or not be reached by the server's user."""


class ServerFailedError(EmbeddedServerError):
    """PostgreSQL did not initialize, start or stop."""
