"""How an import ends: a report with counts of rows and problems by line, or an error.

An error is why an import cannot start or finish. A bad row is a line of the report instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

MOST_NAMED = 1000
"""Problems that are listed. Others are only counted, to bound memory."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a row was rejected. `line` is where it begins in a CSV, its number in Parquet.

    `column` and `value` are None if the whole row is invalid.
    """

    line: int
    column: str | None
    value: str | None
    reason: str


@dataclass(slots=True, kw_only=True)
class Report:
    """Counts of rows. `loaded` is 0 if bad rows prevented the import.

    `rows` were read, `bad` rejected. Of the good ones, `known` existed before or repeat a row of
    the file; `outside_window` are posts outside of their account's tracking window.
    """

    rows: int = 0
    bad: int = 0
    loaded: int = 0
    known: int = 0
    outside_window: int = 0
    problems: list[Problem] = field(default_factory=list)

    def refuse(self, problems: Sequence[Problem]) -> None:
        """Count bad rows and keep the first problems."""
        self.bad += len(problems)
        self.problems += problems[: MOST_NAMED - len(self.problems)]

    @property
    def good(self) -> int:
        """Number of rows that may be loaded."""
        return self.rows - self.bad


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
