"""What can go wrong with backups and restores. Every message names the way out.

BackupError
├── BackupExistsError      the folder to write to is taken
├── BatchesMissingError    registered batches are nowhere, so the backup would lack them
├── BatchesElsewhereError  batches lie where the backup, or the settings, cannot have them
├── DamagedBackupError     the backup is not what was written
├── UnknownBackupError     it was made by a newer version of this program
├── DumpFailedError        pg_dump or pg_restore failed; carries what it said
├── NotEmptyError          there is data where a backup is to be restored
└── InUseError             somebody works with that data
"""


class BackupError(Exception):
    """A backup cannot be made or restored."""


class BackupExistsError(BackupError):
    """A backup is never written over anything."""


class BatchesMissingError(BackupError):
    """Batches that the dump knows are neither registered, archived nor set aside."""


class BatchesElsewhereError(BackupError):
    """The bucket keeps no versions, or the settings have another kind of place for batches."""


class DamagedBackupError(BackupError):
    """A file is missing, changed or not of this backup."""


class UnknownBackupError(BackupError):
    """This version of the program cannot tell what is in it."""


class DumpFailedError(BackupError):
    """PostgreSQL's own program failed."""


class NotEmptyError(BackupError):
    """Data would have to give way."""


class InUseError(BackupError):
    """Data would have to give way under somebody's hands."""
