"""Threads of requests: few for reads, and none of those for what waits for somebody else."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Lock

import psycopg

from serving_api.kit.shares import WRITES_OF_ONE
from serving_api.kit.threads import READ_THREADS, in_read_threads
from tests.fixtures.api import Tenant
from tests.fixtures.locks import wait_until_waiting


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


def create(tenant: Tenant, number: int) -> int:
    path = f"/projects/{tenant.project_id}/campaigns"
    return tenant.client.post(path, json={"name": f"Spring {number}"}).status_code


def test_writes_that_wait_for_a_lock_keep_no_read_waiting(tenant: Tenant) -> None:
    dsn = tenant.api.store.dsn
    with ThreadPoolExecutor(READ_THREADS + 2) as pool, psycopg.connect(dsn) as holder:
        holder.execute("select 1 from projects where id = %s for update", [tenant.project_id])
        writes = [pool.submit(create, tenant, number) for number in range(READ_THREADS + 2)]
        wait_until_waiting(dsn, min(len(writes), WRITES_OF_ONE))
        assert tenant.client.data("GET", "/campaigns") == []
        holder.rollback()
        assert {write.result() for write in writes} == {201}
