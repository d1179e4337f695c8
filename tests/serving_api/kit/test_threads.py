"""Threads of requests: few for reads, and separate ones for waiting on other services."""

import asyncio
from threading import Barrier, Lock

from serving_api.kit.threads import READ_THREADS, in_read_threads


class Work:
    """Blocks until READ_THREADS calls run at once, and records the highest number."""

    def __init__(self) -> None:
        self.running = self.most = 0
        self.counting = Lock()
        self.together = Barrier(READ_THREADS, timeout=30)

    def do(self, number: int) -> int:
        with self.counting:
            self.running += 1
            self.most = max(self.most, self.running)
        self.together.wait()
        with self.counting:
            self.running -= 1
        return number


def test_few_run_at_once_and_the_others_wait_in_every_event_loop() -> None:
    async def all_of(work: Work) -> list[int]:
        return await asyncio.gather(*(in_read_threads(work.do, number) for number in numbers))

    numbers = range(3 * READ_THREADS)
    for _loop in range(2):
        work = Work()
        assert asyncio.run(all_of(work)) == list(numbers)
        assert work.most == READ_THREADS
