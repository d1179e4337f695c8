"""The progress display of a run: one line per step on stderr, live on a terminal."""

from types import TracebackType
from typing import Self

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.progress import Progress as Display

from orchestration.cli.output import ERR, say
from orchestration.running.progress import Progress
from warehouse.platforms import PLATFORM_NAMES

TITLES = {
    "wait": "Waiting",
    "read file": "Reading the file",
    "read archive": "Reading the archive",
    **{f"scrape {platform}": f"Scraping {name}" for platform, name in PLATFORM_NAMES.items()},
    "collect comments": "Collecting comments",
    "register": "Registering batches",
    "copy": "Copying changes from PostgreSQL",
    "ingest": "Ingesting readings",
    "score comments": "Scoring comments",
    "compute": "Computing marts",
    "publish": "Publishing",
    "copy files": "Copying files (MiB)",
    "dump database": "Dumping PostgreSQL",
    "verify files": "Verifying the backup (MiB)",
    "restore files": "Restoring files (MiB)",
    "copy objects": "Copying objects of the bucket (MiB)",
    "load database": "Loading PostgreSQL",
    "send parts": "Copying the archive",
}


MESSAGES = {"wait", "problem"}
"""Not steps, but messages printed as a line."""


class ProgressDisplay:
    """Shows progress within its block; call it with each `Progress`."""

    def __init__(self) -> None:
        self._display = Display(
            SpinnerColumn(finished_text="[green]✓[/green]"),
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=ERR,
            disable=not ERR.is_terminal,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._display.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self._finish_all()
        self._display.stop()

    def __call__(self, progress: Progress) -> None:
        if progress.step in MESSAGES:
            say(f"tracker: {progress.note}")
            return
        if progress.step not in self._tasks:
            self._begin(progress)
        self._display.update(
            self._tasks[progress.step], completed=progress.done, total=progress.total
        )

    def _begin(self, progress: Progress) -> None:
        self._finish_all()
        title = TITLES[progress.step]
        self._tasks[progress.step] = self._display.add_task(title, total=progress.total)
        if not ERR.is_terminal:
            say(title)

    def _finish_all(self) -> None:
        for task in self._tasks.values():
            displayed = next(t for t in self._display.tasks if t.id == task)
            total = displayed.total if displayed.total is not None else max(displayed.completed, 1)
            self._display.update(task, completed=total, total=total)
