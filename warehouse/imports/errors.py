"""Why an import cannot begin or go on at all; a bad row is no error but a line of the report.

ImportRefusedError
├── UnusableFileError    no CSV or Parquet file of these columns
├── UnknownProjectError  there is no such project
└── OtherShardError      the warehouse here does not tell which readings are known
"""

from pathlib import Path
from uuid import UUID


class ImportRefusedError(Exception):
    """Nothing was loaded. The message says why."""


class UnusableFileError(ImportRefusedError):
    """The file as a whole cannot be read."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path.name}: {reason}")


class UnknownProjectError(ImportRefusedError):
    """There is no project with this id."""

    def __init__(self, project_id: UUID) -> None:
        super().__init__(f"there is no project {project_id}")


class OtherShardError(ImportRefusedError):
    """The readings that the project has are in another shard's warehouse, or not in ours yet."""
