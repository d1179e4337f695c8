"""A thread that precomputes frequent queries for each new publication, and after a restart.

For very large organizations some responses take a second to compute. Each process has its own
cache and thread. The server saves its queries in a file, and compiles the templates of pages.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic, time
from typing import Any
from uuid import UUID

import structlog
from duckdb import Error as DuckDBError

from serving_api.kit.cache import SECONDS, OwnedQuestion
from serving_api.kit.published import Published
from serving_api.pages import compile_templates
from warehouse.publication.errors import NotHereYetError

log = structlog.get_logger(__name__)

CHECKED_EVERY_SECONDS = 1.0
MOST_SECONDS = 60.0
"""Time limit per publication; the rest is computed on request."""


SAVED = "frequent-queries"
"""The file in the data folder."""


@contextmanager
def warming(published: Published, folder: Path | None = None) -> Iterator[None]:
    """Warm each new publication within the block; with a data folder also pages."""
    ended = Event()
    warmer = Warmer(published, saved=folder and folder / SAVED)

    def follow() -> None:
        if folder:
            if ended.wait(CHECKED_EVERY_SECONDS):
                return  # without replacing the file by the queries of a second
            warmer.restore()
            compile_templates()
        while not ended.wait(CHECKED_EVERY_SECONDS):
            warmer.check(ended)
        warmer.save()

    thread = Thread(target=follow, name="warming", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


class Warmer:
    """Remembers which publications are warm."""

    def __init__(
        self,
        published: Published,
        clock: Callable[[], float] = monotonic,
        saved: Path | None = None,
    ) -> None:
        self._published = published
        self._clock = clock
        self._saved = saved
        self._warmed: Mapping[str, UUID] = {}

    def check(self, ended: Event) -> None:
        """Precompute the remembered queries if a publication changed.

        Stops early, after a query, once `ended` is set.
        """
        questions = self._published.answers.remembered()
        if not questions or not self._is_another():
            return
        until = self._clock() + MOST_SECONDS
        for question in questions:
            if ended.is_set() or self._clock() > until:
                break
            self._ask(question)
        self.save()

    def save(self) -> None:
        """Write the remembered queries for the next process."""
        if self._saved is None or not self._published.answers.remembered():
            return
        written = self._saved.with_suffix(f".{os.getpid()}")
        try:
            written.write_bytes(self._published.answers.pickled())
            written.replace(self._saved)
        except Exception:
            log.exception("frequent queries cannot be saved; the next start computes none ahead")

    def restore(self) -> None:
        """Remember the queries of an earlier process.

        Those of another version, or saved longer ago than queries are remembered, are ignored.
        """
        try:
            if self._saved and self._saved.exists() and _age(self._saved) < SECONDS:
                self._published.answers.remember_pickled(self._saved.read_bytes())
        except Exception as error:  # a class may have changed in any way
            log.info("frequent queries of another version are not precomputed", error=str(error))

    def _is_another(self) -> bool:
        try:
            current = self._published.targets()
        except (OSError, DuckDBError):
            return False  # unreadable: requests report it
        last, self._warmed = self._warmed, current
        return last != current

    def _ask(self, question: OwnedQuestion[Any, Any]) -> None:
        try:
            with suppress(NotHereYetError):  # nothing to warm yet
                self._published.ask_again(question)
        except Exception:
            log.exception("a new publication could not be asked; the next request works it out")


def _age(file: Path) -> float:
    return time() - file.stat().st_mtime
