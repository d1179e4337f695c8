"""A process's thread that asks each new publication what people asked of the ones before.

So that nobody waits for it: of an organization with very much, some answers take a second to work
out. Each process has answers of its own, and its own thread.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Event, Thread
from time import monotonic
from typing import Any
from uuid import UUID

import structlog
from duckdb import Error as DuckDBError

from serving_api.kit.answer_cache import OwnedQuestion
from serving_api.kit.published import Published
from warehouse.publication.errors import NotHereYetError

log = structlog.get_logger(__name__)

CHECKED_EVERY_SECONDS = 1.0
MOST_SECONDS = 60.0
"""For which a publication is asked; what is left then is worked out when somebody asks."""


@contextmanager
def warming(published: Published) -> Iterator[None]:
    """Ask each publication that becomes current within the block."""
    ended = Event()
    warmer = Warmer(published)

    def follow() -> None:
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
    """Knows which publications it has asked."""

    def __init__(self, published: Published, clock: Callable[[], float] = monotonic) -> None:
        self._published = published
        self._clock = clock
        self._warmed: Mapping[str, UUID] = {}

    def check(self, ended: Event) -> None:
        """Ask the current publications, where one of them is another than the last time.

        Ends early, after an answer, once `ended` is set.
        """
        questions = self._published.remembered_questions()
        if not questions or not self._is_another():
            return
        until = self._clock() + MOST_SECONDS
        for question in questions:
            if ended.is_set() or self._clock() > until:
                return
            self._ask(question)

    def _is_another(self) -> bool:
        try:
            current = self._published.targets()
        except (OSError, DuckDBError):
            return False  # cannot be read: requests tell of it
        last, self._warmed = self._warmed, current
        return last != current

    def _ask(self, question: OwnedQuestion[Any, Any]) -> None:
        try:
            with suppress(NotHereYetError):  # there is nothing to have ready
                self._published.ask_again(question)
        except Exception:
            log.exception("a new publication could not be asked; the next request works it out")
