"""A thread that precomputes frequent queries for each new publication.

For very large organizations some responses take a second to compute. Each process has its own
cache and thread, which first compiles the templates of pages.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Event, Thread
from time import monotonic
from typing import Any
from uuid import UUID

import structlog
from duckdb import Error as DuckDBError

from serving_api.kit.cache import CachedQuery
from serving_api.kit.published import Published
from serving_api.pages import compile_templates
from warehouse.publication.errors import NotHereYetError

log = structlog.get_logger(__name__)

CHECKED_EVERY_SECONDS = 1.0
MOST_SECONDS = 60.0
"""Time limit per publication; the rest is computed on request."""


@contextmanager
def warming(published: Published) -> Iterator[None]:
    """Warm pages, and each new publication within the block."""
    ended = Event()
    warmer = Warmer(published)

    def follow() -> None:
        if not ended.wait(CHECKED_EVERY_SECONDS):
            compile_templates()
        while not ended.wait(CHECKED_EVERY_SECONDS):
            warmer.check(ended)

    thread = Thread(target=follow, name="warming", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


class Warmer:
    """Remembers which publications are warm."""

    def __init__(self, published: Published, clock: Callable[[], float] = monotonic) -> None:
        self._published = published
        self._clock = clock
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

    def _is_another(self) -> bool:
        try:
            current = self._published.targets()
        except (OSError, DuckDBError):
            return False  # unreadable: requests report it
        last, self._warmed = self._warmed, current
        return last != current

    def _ask(self, question: CachedQuery[Any, Any]) -> None:
        try:
            with suppress(NotHereYetError):  # nothing to warm yet
                self._published.ask_again(question)
        except Exception:
            log.exception("a new publication could not be asked; the next request works it out")
