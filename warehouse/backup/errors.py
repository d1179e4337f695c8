"""Errors of backups and restores. Every message says what to do.

BackupError
├── BackupExistsError      the target folder exists
├── BackupInsideError      the target folder is inside of one that the service has
├── BatchesMissingError    registered batches are missing, so the backup would lack them
├── BatchesElsewhereError  the batches' storage does not fit the backup or the settings
├── DamagedBackupError     the backup's files differ from what was written
├── UnknownBackupError     a newer version of this program made the backup
├── DumpFailedError        pg_dump or pg_restore failed; carries its output
├── NotEmptyError          there is data where the backup is to be restored
└── InUseError             that data is in use
"""


class BackupError(Exception):
    """A backup cannot be made or restored."""


class BackupExistsError(BackupError):
    """The target exists. A backup never overwrites anything."""


class BackupInsideError(BackupError):
    """The target is in a folder that is copied, or whose entries a run removes."""


class BatchesMissingError(BackupError):
    """Batches of the dump are neither registered, archived nor set aside."""


class BatchesElsewhereError(BackupError):
    """The bucket has no versioning, or the settings have another kind of storage for batches."""


class DamagedBackupError(BackupError):
    """A file is missing, changed or not part of the backup."""


class UnknownBackupError(BackupError):
    """This version of the program cannot read the backup."""


class DumpFailedError(BackupError):
    """A program of PostgreSQL failed."""


class NotEmptyError(BackupError):
    """The restore would replace data."""


class InUseError(BackupError):
    """The restore would replace data that is in use."""
