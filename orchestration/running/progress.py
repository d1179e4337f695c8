"""Progress and result of a pipeline run. Loads neither Dagster nor dbt."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` (None: unknown) units of a step; `note` is one line for people."""

    step: str
    done: int = 0
    total: int | None = None
    note: str | None = None


OnProgress = Callable[[Progress], None]


def silent(_progress: Progress) -> None:
    """Show nothing: Dagster's own log has the events."""


Days = tuple[date, date]
"""First and last day of a range."""


@dataclass(frozen=True)
class PipelineResult:
    """Result of a pipeline run. `seconds` are by step, in order."""

    as_of: datetime
    publication_id: str
    publication_path: Path
    outcomes: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


class PipelineFailed(Exception):  # noqa: N818 (reads as what happened)
    """A pipeline run made no publication. `step` is where it failed."""

    def __init__(self, step: str, reason: str) -> None:
        super().__init__(f"{step}: {reason}")
        self.step = step
