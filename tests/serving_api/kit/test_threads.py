"""Threads of requests: few for reads, and none of those for what waits for somebody else."""

import asyncio
from threading import Barrier, Lock

from serving_api.kit.threads import READ_THREADS, in_read_threads


class Work:
    """Goes on only while READ_THREADS of it run at once, and knows how many ever did."""

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
