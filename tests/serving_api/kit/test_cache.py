"""Caches: how long they store values, and how many."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Semaphore
from typing import Any
from uuid import UUID

from serving_api.kit.cache import AnswerCache, Cache, CachedQuery
from serving_api.kit.published import Published
from tests.factories.machine_clock import StoppedClock

AT_ONCE = 8


def test_a_value_is_given_until_its_time_is_over() -> None:
    clock = StoppedClock()
    cache: Cache[str] = Cache(10, clock)
    cache.put("key", "value", weight=1, seconds=60)
    clock.now += 59
    assert cache.get("key") == "value"
    clock.now += 1
    assert cache.get("key") is None


def test_the_least_recently_used_value_is_evicted() -> None:
    cache: Cache[int] = Cache(3)
    for number in range(3):
        cache.put(number, number, weight=1, seconds=60)
    assert cache.get(0) == 0
    cache.put(3, 3, weight=1, seconds=60)
    assert [cache.get(number) for number in range(4)] == [0, None, 2, 3]


def test_a_heavy_value_counts_as_many() -> None:
    cache: Cache[int] = Cache(3)
    for number in range(3):
        cache.put(number, number, weight=1, seconds=60)
    cache.put(3, 3, weight=2, seconds=60)
    assert [cache.get(number) for number in range(4)] == [None, None, 2, 3]


def test_a_value_larger_than_the_cache_is_not_cached_and_evicts_nothing() -> None:
    cache: Cache[int] = Cache(3)
    cache.put(0, 0, weight=3, seconds=60)
    cache.put(1, 1, weight=4, seconds=60)
    assert (cache.get(0), cache.get(1)) == (0, None)


def test_a_value_put_again_weighs_once_and_is_the_new_one() -> None:
    cache: Cache[int] = Cache(2)
    for value in range(5):
        cache.put("key", value, weight=1, seconds=60)
    cache.put("other", 9, weight=1, seconds=60)
    assert (cache.get("key"), cache.get("other")) == (4, 9)


class Publication:
    """A publication whose id is requested before each query."""

    def __init__(self) -> None:
        self.arrived = Semaphore(0)

    @property
    def publication_id(self) -> UUID:
        self.arrived.release()
        return UUID(int=1)


class TestEqualQueriesAtOnce:
    """The first query computes only once all others have started."""

    def ask(self, fails: int = 0) -> tuple[list[str], list[object]]:
        """Return what each of `AT_ONCE` got, and the computations, of which the first ones fail."""
        publication, computed = Publication(), list[object]()

        def work_out(_cursor: object, question: str) -> str:
            computed.append(question)
            if len(computed) == 1:
                for _ in range(AT_ONCE):
                    publication.arrived.acquire()
            if len(computed) <= fails:
                raise LookupError
            return "answer"

        cache, query = AnswerCache(), CachedQuery(None, work_out, "question", len)

        def prepare(_number: int) -> str:
            opened: Any = (None, publication)
            try:
                return cache.prepare(opened, query)
            except LookupError:
                return "error"

        with ThreadPoolExecutor(AT_ONCE) as pool:
            return sorted(pool.map(prepare, range(AT_ONCE))), computed

    def test_they_compute_once(self) -> None:
        answers, computed = self.ask()
        assert answers == ["answer"] * AT_ONCE
        assert len(computed) == 1

    def test_the_error_of_one_does_not_affect_the_others(self) -> None:
        answers, _ = self.ask(fails=1)
        assert answers == [*["answer"] * (AT_ONCE - 1), "error"]


class Opened:
    """A publication that counts its cursors; current and leased."""

    def __init__(self) -> None:
        self.info, self.cursors = Publication(), 0

    @contextmanager
    def lease(self, _scope: UUID | None) -> Iterator["Opened"]:
        yield self

    @contextmanager
    def cursor(self) -> Iterator[object]:
        self.cursors += 1
        yield object()


def test_a_cached_result_opens_no_cursor() -> None:
    opened: Any = Opened()
    published = Published(opened)

    def double(_cursor: object, question: int) -> int:
        return 2 * question

    for number in (4, 4, 5, 4):
        assert published.cached(double, number, lambda _: 1) == (2 * number, opened.info)
    assert opened.cursors == 2
