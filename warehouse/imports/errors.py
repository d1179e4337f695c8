"""Reasons for which an import cannot start or finish. A bad row is a line of the report instead.

ImportRefusedError
├── UnusableFileError    not a CSV or Parquet file with these columns
├── UnknownProjectError  there is no such project
└── OtherShardError      this warehouse does not have the project's readings
"""

from pathlib import Path
from uuid import UUID


class ImportRefusedError(Exception):
    """Nothing was loaded. The message says why."""


class UnusableFileError(ImportRefusedError):
    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path.name}: {reason}")


class UnknownProjectError(ImportRefusedError):
    def __init__(self, project_id: UUID) -> None:
        super().__init__(f"there is no project {project_id}")


class OtherShardError(ImportRefusedError):
    """The project's readings are in another shard's warehouse, or not yet in this one."""
