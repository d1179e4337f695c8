"""What an import did, and what was wrong with which line."""

from collections.abc import Sequence
from dataclasses import dataclass, field

MOST_NAMED = 1000
"""So many problems are named; the others are counted, so that no file can fill the memory."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a row was refused. `line` is where it begins in a CSV, its number in a Parquet file.

    `column` and `value` are None where the row as a whole is at fault.
    """

    line: int
    column: str | None
    value: str | None
    reason: str


@dataclass(slots=True, kw_only=True)
class Report:
    """Counts of rows. `loaded` is 0 where bad rows kept everything out.

    `rows` were read and `bad` refused. Of the good ones `known` were there before, or repeat a
    row of the file; `outside_window` are posts that their accounts' tracking windows leave out.
    """

    rows: int = 0
    bad: int = 0
    loaded: int = 0
    known: int = 0
    outside_window: int = 0
    problems: list[Problem] = field(default_factory=list)

    def refuse(self, problems: Sequence[Problem]) -> None:
        """Count bad rows and keep the first ones' problems."""
        self.bad += len(problems)
        self.problems += problems[: MOST_NAMED - len(self.problems)]

    @property
    def good(self) -> int:
        """How many rows may be loaded."""
        return self.rows - self.bad
