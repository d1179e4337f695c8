"""A cache bounded by time and weight, one per process, and one of answers of a publication.

Results of queries are cached until the next publication. Later decisions of members are not
included; each request reads them from PostgreSQL.
"""

import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Generic, TypeVar, cast
from uuid import UUID

from cachetools import TLRUCache, TTLCache
from duckdb import DuckDBPyConnection

from serving_api.kit.deadlines import SECONDS as DEADLINE_SECONDS
from warehouse.publication.info import PublicationInfo

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class _Entry(Generic[Value]):
    value: Value
    weight: int
    seconds: float


class Cache(Generic[Value]):
    """Values by key, until they expire or more recent ones need the space.

    `weight` is in the owner's unit; all values together weigh at most `most`. Uses a monotonic
    clock. Thread-safe.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._lock = Lock()
        self._entries: TLRUCache[Hashable, _Entry[Value]] = TLRUCache(
            most,
            ttu=lambda _key, entry, now: now + entry.seconds,
            timer=clock,
            getsizeof=lambda entry: entry.weight,
        )

    def get(self, key: Hashable) -> Value | None:
        with self._lock:
            entry = self._entries.get(key)
        return None if entry is None else entry.value

    def put(self, key: Hashable, value: Value, *, weight: int, seconds: float) -> None:
        """Cache a value; one that exceeds the total weight is not cached."""
        with self._lock, suppress(ValueError):  # heavier than the whole cache
            self._entries[key] = _Entry(value, weight, seconds)


Question = TypeVar("Question", bound=Hashable)
Answer = TypeVar("Answer")

Reading = tuple[DuckDBPyConnection, PublicationInfo]
"""A cursor, and its publication."""
MOST_ROWS = 1_000_000
"""Limit of cached rows per process, about 200 MB of rows of 200 bytes. Wider rows count as more."""
WEIGHT_OF_ONE = 100
"""Additional weight of a result, in rows."""
SECONDS = 8 * 3600.0
"""A working day: results depend on the date, so that tomorrow's queries differ."""

SLOW_SECONDS = 0.02
"""Slower queries are remembered, to be run again on the next publication."""
MOST_REMEMBERED = 200


@dataclass(frozen=True)
class CachedQuery(Generic[Question, Answer]):
    """A query on an organization's publication, and the function that computes it.

    `work_out` must be a module-level function, since it is part of the cache key. `rows` counts
    the rows of query and result. `question` must contain everything that the result depends on,
    including days.
    """

    scope: UUID | None
    work_out: Callable[[DuckDBPyConnection, Question], Answer]
    question: Question
    rows: Callable[[Answer], int] = field(compare=False)


class AnswerCache:
    """A process's query results by publication and query."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._cache: Cache[object] = Cache(MOST_ROWS, clock)
        self._lock = Lock()
        self._running: dict[Hashable, Future[object]] = {}
        self._slow: TTLCache[CachedQuery[Any, Any], None] = TTLCache(
            MOST_REMEMBERED, SECONDS, clock
        )

    def cached(
        self, publication: PublicationInfo, computation: CachedQuery[Question, Answer]
    ) -> Answer | None:
        """Return the cached result for a request, or None; this needs no cursor."""
        with self._lock:
            answer = self._cache.get(_key(publication, computation))
        if answer is not None:
            self._remember(computation, 0)
        return cast("Answer | None", answer)

    def answer(self, opened: Reading, computation: CachedQuery[Question, Answer]) -> Answer:
        """Return the result for a request; remember slow queries."""
        began = self._clock()
        answer = self.prepare(opened, computation)
        self._remember(computation, self._clock() - began)
        return answer

    def prepare(self, opened: Reading, computation: CachedQuery[Question, Answer]) -> Answer:
        """Return the result without remembering the query; equal ones at once compute once.

        Errors are not shared: each query that waited for one computes its own result.
        """
        cursor, publication = opened
        key = _key(publication, computation)
        own = Future[object]()
        with self._lock:
            answer = self._cache.get(key)
            running = own if answer is not None else self._running.setdefault(key, own)
        if answer is None and running is not own:
            with suppress(TimeoutError):
                answer = running.result(DEADLINE_SECONDS)
        if answer is not None:
            return cast("Answer", answer)
        try:
            answer = computation.work_out(cursor, computation.question)
            weight = WEIGHT_OF_ONE + computation.rows(answer)
            self._cache.put(key, answer, weight=weight, seconds=SECONDS)
            return answer
        finally:
            if running is own:
                with self._lock:
                    del self._running[key]
                own.set_result(answer)

    def remembered(self) -> list[CachedQuery[Any, Any]]:
        """Return the remembered slow queries, the last requested first."""
        with self._lock:
            return list(self._slow)[::-1]

    def _remember(self, computation: CachedQuery[Any, Any], seconds: float) -> None:
        with self._lock:
            if seconds >= SLOW_SECONDS or computation in self._slow:
                self._slow[computation] = None


def _key(publication: PublicationInfo, computation: CachedQuery[Any, Any]) -> Hashable:
    return (publication.publication_id, computation.work_out, computation.question)
