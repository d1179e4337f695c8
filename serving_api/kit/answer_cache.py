"""What a publication tells, kept for whoever asks the same until there is another.

What people decided since is no part of it, and is looked up for each request.
"""

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Generic, TypeVar, cast
from uuid import UUID

from cachetools import TTLCache
from duckdb import DuckDBPyConnection

from serving_api.kit.cache import Cache
from warehouse.publication.info import PublicationInfo

Question = TypeVar("Question", bound=Hashable)
Answer = TypeVar("Answer")

Reading = tuple[DuckDBPyConnection, PublicationInfo]
"""A cursor, and which publication it is on."""
Whose = tuple[UUID | None, UUID | None]
"""An organization and a project of it; None is no one in particular."""

MOST_ROWS = 1_000_000
"""Rows that a process keeps of all answers: some 200 MB."""
WEIGHT_OF_ONE = 100
"""What an answer weighs, in rows, beside those."""
SECONDS = 8 * 3600.0
"""A working day, for answers and for what was asked: the next day is another question."""

SLOW_SECONDS = 0.02
"""What takes as long is remembered, to be asked again of the next publication."""
MOST_REMEMBERED = 200


@dataclass(frozen=True)
class OwnedQuestion(Generic[Question, Answer]):
    """A question about the publication that has somebody, and how it is answered.

    `work_out` is a function of a module: a new one each time would find nothing kept. `rows` counts
    what an answer and its question hold. Questions say all that answers depend on, days among that.
    """

    whose: Whose
    work_out: Callable[[DuckDBPyConnection, Question], Answer]
    question: Question
    rows: Callable[[Answer], int] = field(compare=False)


class AnswerCache:
    """What a process has worked out, by publication and by what was asked."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._cache: Cache[object] = Cache(MOST_ROWS, clock)
        self._lock = Lock()
        self._slow: TTLCache[OwnedQuestion[Any, Any], None] = TTLCache(
            MOST_REMEMBERED, SECONDS, clock
        )

    def answer(self, opened: Reading, computation: OwnedQuestion[Question, Answer]) -> Answer:
        """Return what a publication tells somebody; what took long is remembered as asked."""
        began = self._clock()
        answer = self.prepare(opened, computation)
        self._remember(computation, self._clock() - began)
        return answer

    def prepare(self, opened: Reading, computation: OwnedQuestion[Question, Answer]) -> Answer:
        """Return what a publication tells, before somebody asks."""
        cursor, publication = opened
        key = (publication.publication_id, computation.work_out, computation.question)
        answer = cast("Answer | None", self._cache.get(key))
        if answer is None:
            answer = computation.work_out(cursor, computation.question)
            weight = WEIGHT_OF_ONE + computation.rows(answer)
            self._cache.put(key, answer, weight=weight, seconds=SECONDS)
        return answer

    def remembered(self) -> list[OwnedQuestion[Any, Any]]:
        """Return what somebody asked that took long, the last asked first."""
        with self._lock:
            return list(self._slow)[::-1]

    def _remember(self, computation: OwnedQuestion[Any, Any], seconds: float) -> None:
        with self._lock:
            if seconds >= SLOW_SECONDS or computation in self._slow:
                self._slow[computation] = None
