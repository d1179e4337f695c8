"""A queue with one task at a time per entity, compared with a model."""

from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from itertools import takewhile
from random import Random
from threading import Lock

import pytest
from sqlalchemy import DateTime, Select, select, update
from sqlalchemy.orm import DeclarativeBase, Mapped, aliased, mapped_column

from tests.doses import SEED, dose
from warehouse.operational.clock import clock_of_database
from warehouse.operational.leases import Queue
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore

LASTS = timedelta(hours=1)
PART = timedelta(minutes=35)
"""Leases expire in the second interval after the claim."""
MOST_ATTEMPTS = 4
ENTITIES = 12


class Tables(DeclarativeBase):
    type_annotation_map = {datetime: DateTime(timezone=True)}  # noqa: RUF012


class Task(Tables):
    __tablename__ = "tasks"

    number: Mapped[int] = mapped_column(primary_key=True)
    entity: Mapped[int]
    leased_until: Mapped[datetime | None]
    claims: Mapped[int] = mapped_column(default=0)
    result: Mapped[str | None]


QUEUE = Queue(Task, Task.leased_until, LASTS, Task.claims)
SHORT = Queue(Task, Task.leased_until, timedelta(milliseconds=20), Task.claims)


def due(limit: int) -> Select[Task]:
    """Select tasks without a result and without an earlier open task of their entity."""
    earlier = aliased(Task)
    waits = select(earlier.number).where(
        earlier.entity == Task.entity, earlier.number < Task.number, earlier.result.is_(None)
    )
    candidates = select(Task).where(Task.result.is_(None), ~waits.exists())
    return candidates.order_by(Task.number).limit(limit)


def claim(session: WriteSession, queue: Queue[Task], limit: int) -> tuple[datetime, list[Task]]:
    now = clock_of_database(session)
    tasks = list(session.scalars(queue.free(due(limit), now)))
    return now, list(queue.lease(tasks, now))


@pytest.fixture
def tasks(store: OperationalStore) -> Iterator[range]:
    """Sixty tasks of a dozen entities."""
    numbers = range(60)
    Tables.metadata.create_all(store.engine)
    with store.write_session() as session:
        session.add_all(Task(number=number, entity=number % ENTITIES) for number in numbers)
    yield numbers
    Tables.metadata.drop_all(store.engine)


class Model:
    """The holder of each task with the age of its lease in intervals, and the open tasks."""

    def __init__(self, tasks: range) -> None:
        self.left = [*tasks]
        self.holders: dict[int, tuple[int, int]] = {}
        self.selected: list[int] = []

    def claim(self, worker: int, limit: int, locked: Collection[int] = ()) -> list[int]:
        first = {number % ENTITIES: number for number in reversed(self.left)}
        free = [
            number
            for number in sorted(first.values())
            if number not in locked and self.holders.get(number, (0, 0))[1] <= 0
        ][:limit]
        self.selected = free
        claimed = [*takewhile(lambda number: number not in self.holders, free)] or free[:1]
        self.holders.update((number, (worker, 2)) for number in claimed)
        return claimed

    def ours(self, worker: int, numbers: Collection[int]) -> list[int]:
        return [
            number for number in sorted(numbers) if self.holders.get(number, (0, 0))[0] == worker
        ]

    def pass_part(self) -> None:
        self.holders = {n: (worker, parts - 1) for n, (worker, parts) in self.holders.items()}


class Workers:
    """Workers, identified by the number of their claim, that follow the model."""

    def __init__(self, store: OperationalStore, tasks: range) -> None:
        self._store = store
        self.model = Model(tasks)
        self._held: dict[int, list[Task]] = {}
        self._claims = 0

    def claim(self, limit: int) -> None:
        with self._store.write_session() as session:
            _, claimed = claim(session, QUEUE, limit)
        self._note(claimed, self.model.claim(self._claims + 1, limit))

    def claim_beside_another(self, limit: int, *, is_killed: bool) -> None:
        """Let another worker claim first, then be killed or commit later."""
        with self._store.write_session() as session:
            _, first = claim(session, QUEUE, limit)
            with self._store.write_session() as other:
                _, second = claim(other, QUEUE, limit)
            if is_killed:
                session.rollback()
        before = dict(self.model.holders)
        expected = self.model.claim(self._claims + 1, limit)
        locked = self.model.selected
        if is_killed:
            self.model.holders = before
        else:
            self._note(first, expected)
        self._note(second, self.model.claim(self._claims + 1, limit, locked))

    def _note(self, claimed: list[Task], expected: list[int]) -> None:
        assert [task.number for task in claimed] == expected
        self._claims += 1
        if claimed:
            self._held[self._claims] = claimed

    def renew(self, worker: int) -> None:
        QUEUE.renew(self._store, self._held[worker])
        for number in self._ours(worker):
            self.model.holders[number] = (worker, 2)

    def release(self, worker: int) -> None:
        with self._store.write_session() as session:
            released = [task.number for task in QUEUE.release(session, self._held[worker])]
        assert released == self._ours(worker)
        for number in released:
            del self.model.holders[number]

    def finish(self, worker: int) -> None:
        with self._store.write_session() as session:
            ended = QUEUE.release(session, self._held[worker])
            for task in ended:
                task.result = f"claim {worker}"
        assert [task.number for task in ended] == self._ours(worker)
        if len(self._held) > 1:
            del self._held[worker]
        for task in ended:
            del self.model.holders[task.number]
            self.model.left.remove(task.number)

    def pass_part(self) -> None:
        """Advance the time by one interval in the table and in the workers' copies."""
        with self._store.write_session() as session:
            session.execute(update(Task).values(leased_until=Task.leased_until - PART))
        for task in {id(task): task for held in self._held.values() for task in held}.values():
            if task.leased_until is not None:
                task.leased_until -= PART
        self.model.pass_part()

    def any_worker(self, random: Random) -> int:
        return random.choice([*self._held])

    def _ours(self, worker: int) -> list[int]:
        return self.model.ours(worker, [task.number for task in self._held[worker]])


@pytest.mark.slow
@pytest.mark.parametrize("seed", [SEED + number for number in range(dose(2, 40))])
def test_each_step_matches_the_model(store: OperationalStore, tasks: range, seed: int) -> None:
    """A stopped worker continues: it extends and ends only leases that are still its own."""
    random, workers = Random(seed), Workers(store, tasks)
    workers.claim(5)
    for _ in range(10_000):
        if not workers.model.left:
            break
        match random.randrange(7):
            case 0:
                workers.claim(random.randrange(1, 8))
            case 1:
                is_killed = random.random() < 0.5
                workers.claim_beside_another(random.randrange(1, 8), is_killed=is_killed)
            case 2:
                workers.renew(workers.any_worker(random))
            case 3:
                workers.release(workers.any_worker(random))
            case 4 | 5:
                workers.finish(workers.any_worker(random))
            case _:
                workers.pass_part()
    assert workers.model.left == []
    with store.read_session() as session:
        assert list(session.scalars(select(Task.number).where(Task.result.is_(None)))) == []


class Holders:
    """The holder of each task as concurrent workers see it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._holders: dict[int, tuple[int, datetime]] = {}
        self.faults: list[str] = []
        self.results: list[int] = []

    def claimed(self, worker: int, tasks: Collection[Task], now: datetime) -> None:
        """Record a claim while its rows are locked, so that a task's claims are in order."""
        with self._lock:
            for task in tasks:
                holder, until = self._holders.get(task.number, (worker, now))
                if until > now:
                    self.faults.append(f"{worker} claimed {task.number} of {holder}")
                assert task.leased_until is not None
                self._holders[task.number] = (worker, task.leased_until)

    def renewed(self, worker: int, tasks: Collection[Task]) -> None:
        with self._lock:
            for task in tasks:
                assert task.leased_until is not None
                if self._holders.get(task.number, (0,))[0] == worker:
                    self._holders[task.number] = (worker, task.leased_until)

    def ending(self, worker: int, tasks: Collection[Task]) -> set[int]:
        """Release a worker's tasks; return those that others have claimed since."""
        with self._lock:
            lost = {t.number for t in tasks if self._holders.get(t.number, (0,))[0] != worker}
            for task in tasks:
                if task.number not in lost:
                    del self._holders[task.number]
        return lost


def work(store: OperationalStore, holders: Holders, worker_of_thread: int) -> None:
    """Claim, stall, extend, release, finish, give up and die until each task has a result."""
    random = Random(SEED + worker_of_thread)
    stalled: list[tuple[int, list[Task]]] = []
    for step in range(10_000):
        worker = 1 + worker_of_thread + 4 * step
        with store.write_session() as session:
            if session.scalar(select(Task).where(Task.result.is_(None)).limit(1)) is None:
                break
            now, claimed = claim(session, SHORT, random.randrange(1, 6))
            for task in claimed:
                if task.claims > MOST_ATTEMPTS:
                    task.result = "given up"
                    holders.results.append(task.number)
            claimed = [task for task in claimed if task.result is None]
            holders.claimed(worker, claimed, now)
        stalled.append((worker, claimed))
        if random.random() < 0.6:
            end(store, holders, random, *stalled.pop(random.randrange(len(stalled))))


def end(
    store: OperationalStore, holders: Holders, random: Random, worker: int, tasks: list[Task]
) -> None:
    how = random.choice(["dies", "releases", "renews", "finishes"])
    if how == "dies":
        return
    if how == "renews":
        SHORT.renew(store, tasks)
        holders.renewed(worker, tasks)
    lost = holders.ending(worker, tasks)
    with store.write_session() as session:
        ours = SHORT.release(session, tasks)
        for task in ours if how != "releases" else ():
            task.result = f"worker {worker}"
            holders.results.append(task.number)
    holders.faults.extend(f"{worker} ended {t.number}" for t in ours if t.number in lost)


@pytest.mark.slow
def test_concurrent_workers_share_no_task_and_lose_none(
    store: OperationalStore, tasks: range
) -> None:
    """Leases are so short that many expire; only the number of claims per task is bounded."""
    holders = Holders()
    with ThreadPoolExecutor(4) as threads:
        for worked in [threads.submit(work, store, holders, number) for number in range(4)]:
            worked.result()
    assert holders.faults == []
    with store.read_session() as session:
        ended = session.scalars(select(Task).order_by(Task.number)).all()
    assert {task.result is None for task in ended} == {False}
    assert sorted(holders.results) == [*tasks]
    by_entity = sorted(holders.results, key=lambda number: number % ENTITIES)
    assert by_entity == sorted(tasks, key=lambda number: number % ENTITIES)
    assert max(task.claims for task in ended) <= MOST_ATTEMPTS + 1
