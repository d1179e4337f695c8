"""Fair shares of what all customers share: connections, threads, processor.

A pool has a number of places, each customer at most a part of them, and a short queue. The queue is
in front of the pool: a request that waits holds no connection and no transaction.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Hashable, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from threading import Lock

from serving_api.errors import Busy, RateLimitExceeded
from serving_api.kit.threads import FEW

Place = Future[None]
"""Done once it is taken."""


class Shares:
    """Places of a pool; threads and event loops may share it.

    A free place goes to who has the fewest, in order of arrival among equals. A customer has at
    most `of_one` of them at once, and `queue` further requests that wait for at most `seconds`.
    Then RateLimitExceeded, with the bucket `name`, refuses who has all of the own places, and Busy
    who does not, or where one customer may have all places.
    """

    def __init__(
        self, name: str, places: int, of_one: int, *, queue: int = 200, seconds: float = 30.0
    ) -> None:
        self._name = name
        self._places = places
        self._of_one = of_one
        self._queue = queue
        self._seconds = seconds
        self._lock = Lock()
        self._taken: Counter[Hashable] = Counter()
        self._waiting: list[tuple[Hashable, Place]] = []

    @contextmanager
    def place(self, customer: Hashable = None) -> Iterator[None]:
        """Let the block have a place; the thread waits for it. Raises RateLimitExceeded, Busy."""
        place = self._join(customer)
        try:
            try:
                place.result(self._seconds)
            except TimeoutError:
                raise self._refusal(customer) from None
            yield
        finally:
            self._leave(customer, place)

    @asynccontextmanager
    async def place_aside(self, customer: Hashable = None) -> AsyncIterator[None]:
        """Let the block have a place; no thread waits for it. Raises RateLimitExceeded, Busy."""
        place = self._join(customer)
        try:
            if not place.done():
                # Not `wait_for`, which would cancel the place.
                await asyncio.wait([asyncio.wrap_future(place)], timeout=self._seconds)
            if not place.done():
                raise self._refusal(customer)
            yield
        finally:
            self._leave(customer, place)

    def _join(self, customer: Hashable) -> Place:
        place = Place()
        with self._lock:
            self._waiting.append((customer, place))
            self._admit()
            if sum(each == customer for each, _ in self._waiting) > self._queue:
                self._waiting.remove((customer, place))
                raise self._refusal(customer)
        return place

    def _leave(self, customer: Hashable, place: Place) -> None:
        with self._lock:
            if place.done():
                self._taken[customer] -= 1
                self._taken += Counter()  # drops customers without a place
            else:
                self._waiting.remove((customer, place))
            self._admit()

    def _admit(self) -> None:
        """Give free places to customers whose own are not all taken."""
        while self._waiting and self._taken.total() < self._places:
            first = min(self._waiting, key=lambda waiting: self._taken[waiting[0]])
            customer, place = first
            if self._taken[customer] >= self._of_one:
                return
            self._waiting.remove(first)
            self._taken[customer] += 1
            place.set_result(None)

    def _refusal(self, customer: Hashable) -> Exception:
        if self._of_one < self._places and self._taken[customer] >= self._of_one:
            return RateLimitExceeded(self._name, retry_after=Busy.retry_after)
        return Busy()


WRITES_OF_ONE = 6
STREAMS_OF_ONE = 3
PAGES_OF_ONE = 4


class RequestShares:
    """What the organizations share of one process.

    `reads` is bounded by threads (see `threads`), `writes` by connections: some are left to pages
    without an organization. `streams` are answers that are made while they are sent; one has its
    place until it is sent. `outgoing` is what waits for a platform or a bucket. `pages` is what
    people see without a key, by the network that they come from.
    """

    def __init__(self) -> None:
        self.reads = Shares("readsAtOnce", FEW, max(1, FEW - 1))
        self.writes = Shares("writesAtOnce", 12, WRITES_OF_ONE)
        self.streams = Shares("streamsAtOnce", 8, STREAMS_OF_ONE)
        self.outgoing = Shares("outgoingAtOnce", 16, 4)
        self.pages = Shares("pagesAtOnce", 8, PAGES_OF_ONE)
