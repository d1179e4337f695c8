"""Fair shares of common resources: connections, threads, processor.

A pool has slots, a limit per customer, and a short queue. The queue is before the pool: a waiting
request holds no connection and no transaction.
"""

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from threading import Lock
from time import monotonic

from serving_api.errors import Busy, RateLimitExceeded
from serving_api.kit.threads import READ_THREADS

Slot = Future[float]
"""Done once granted; the result is the time."""
RECENT_SECONDS = 2.0
"""How long a customer counts as active, and its usage is remembered."""


class Shares:
    """Slots of a pool; safe for threads and event loops.

    A free slot goes to the customer with the fewest, in order of arrival. A customer has at most
    `of_one` slots, and `queue` waiting requests of at most `seconds`. Beyond that,
    RateLimitExceeded with the bucket `name` if the customer has all its slots, otherwise Busy.

    A customer whose usage exceeds that of all others together has at most `beside_others` slots
    while others are active: computing threads take turns, so that each slows down all others.
    """

    def __init__(
        self,
        name: str,
        slots: int,
        of_one: int,
        *,
        beside_others: int | None = None,
        queue: int = 200,
        seconds: float = 30.0,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._name = name
        self._slots = slots
        self._of_one = of_one
        self._beside_others = beside_others or of_one
        self._clock = clock
        self._recent: deque[tuple[float, Hashable, float]] = deque()
        self._used: defaultdict[Hashable, float] = defaultdict(float)
        self._ended: Counter[Hashable] = Counter()
        self._queue = queue
        self._seconds = seconds
        self._lock = Lock()
        self._running: Counter[Hashable] = Counter()
        self._waiting: list[tuple[Hashable, Slot]] = []

    @contextmanager
    def slot(self, customer: Hashable = None) -> Iterator[None]:
        """Hold a slot during the block, waiting in this thread. Raises RateLimitExceeded, Busy."""
        slot = self._join(customer)
        try:
            try:
                slot.result(self._seconds)
            except TimeoutError:
                raise self._refusal(customer) from None
            yield
        finally:
            self._leave(customer, slot)

    @asynccontextmanager
    async def slot_aside(self, customer: Hashable = None) -> AsyncIterator[None]:
        """Hold a slot during the block without blocking a thread. Raises as `slot`."""
        slot = self._join(customer)
        try:
            if not slot.done():
                # Not `wait_for`, which would cancel the future.
                await asyncio.wait([asyncio.wrap_future(slot)], timeout=self._seconds)
            if not slot.done():
                raise self._refusal(customer)
            yield
        finally:
            self._leave(customer, slot)

    def _join(self, customer: Hashable) -> Slot:
        slot = Slot()
        with self._lock:
            self._waiting.append((customer, slot))
            self._grant_slots()
            if sum(each == customer for each, _ in self._waiting) > self._queue:
                self._waiting.remove((customer, slot))
                raise self._refusal(customer)
        return slot

    def _leave(self, customer: Hashable, slot: Slot) -> None:
        with self._lock:
            if slot.done():
                self._running[customer] -= 1
                self._running += Counter()  # drops customers without a slot
                self._note(customer, self._clock() - slot.result())
            else:
                self._waiting.remove((customer, slot))
            self._grant_slots()

    def _grant_slots(self) -> None:
        """Grant free slots to customers below their limit."""
        while self._running.total() < self._slots:
            most = {customer: self._most(customer) for customer, _ in self._waiting}
            able = [entry for entry in self._waiting if self._running[entry[0]] < most[entry[0]]]
            if not able:
                return
            first = min(able, key=lambda entry: self._running[entry[0]])
            customer, slot = first
            self._waiting.remove(first)
            self._running[customer] += 1
            slot.set_result(self._clock())

    def _note(self, customer: Hashable, seconds: float) -> None:
        self._recent.append((self._clock(), customer, seconds))
        self._used[customer] += seconds
        self._ended[customer] += 1

    def _most(self, customer: Hashable) -> int:
        """Return the customer's current limit of slots."""
        return self._beside_others if self._is_heavy(customer) else self._of_one

    def _is_heavy(self, customer: Hashable) -> bool:
        while self._recent and self._recent[0][0] <= self._clock() - RECENT_SECONDS:
            _, earlier, seconds = self._recent.popleft()
            self._used[earlier] -= seconds
            self._ended[earlier] -= 1
            if not self._ended[earlier]:
                del self._used[earlier], self._ended[earlier]
        is_alone = len(self._recent) == self._ended[customer]
        return not is_alone and 2 * self._used.get(customer, 0.0) > sum(self._used.values())

    def _refusal(self, customer: Hashable) -> Exception:
        most = self._most(customer)
        if most < self._slots and self._running[customer] >= most:
            return RateLimitExceeded(self._name, retry_after=Busy.retry_after)
        return Busy()


EVERYBODY = 1_000_000
"""Slots of a pool that only limits each customer."""
WRITES_OF_ONE = 6
STREAMS_OF_ONE = 3
PAGES_OF_ONE = 4


class RequestShares:
    """Resources that organizations share in one process.

    `computing` is for processor time: reads, and writes with large bodies; it only limits each
    organization. `reads` is limited by threads (see `threads`), `writes` by connections, some of
    which are left to pages without an organization. `streams` are streamed responses, with a slot
    until they are sent. `outgoing` is for waiting on platforms and buckets. `pages` are public
    pages, by network.
    """

    def __init__(self) -> None:
        of_one = max(1, READ_THREADS - 1)
        heavy = max(1, READ_THREADS // 4)
        self.computing = Shares("computingAtOnce", EVERYBODY, of_one, beside_others=heavy)
        self.reads = Shares("readsAtOnce", READ_THREADS, of_one)
        self.writes = Shares("writesAtOnce", 12, WRITES_OF_ONE)
        self.streams = Shares("streamsAtOnce", 8, STREAMS_OF_ONE)
        self.outgoing = Shares("outgoingAtOnce", 16, 4)
        self.pages = Shares("pagesAtOnce", 8, PAGES_OF_ONE)
