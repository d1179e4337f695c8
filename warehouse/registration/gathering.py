"""Gathers landed batches for one transaction, whose fixed costs are those of many readings.

Batches are gathered only if they have no account, post or job in common: so the result is that of
one after the other. Plan limits are applied once, at the end, so a post that they pause still has
what any of these batches show of it.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from uuid import UUID

import polars as pl

from warehouse.landing.batches import Batch, DamagedBatchError, NewerBatchError, read_landed
from warehouse.landing.landing import Landing

MOST_ROWS = 10_000
"""Maximum rows of gathered batches. Bounds memory, and how long organizations are locked."""
MOST_BATCHES = 100
"""Maximum number of gathered batches, because each has its files synced under these locks."""
SEEN_AT = {"profiles": "captured_at", "posts": "captured_at", "comments": "captured_at"}
FINISHED_AT = {"outcomes": "finished_at", "comment_walks": "finished_at"}
SUBJECTS = {
    "profiles": {"handle": "handle", "observed_handle": "handle", "platform_user_id": "user"},
    "posts": {"handle": "handle", "platform_user_id": "user", "platform_video_id": "post"},
    "outcomes": {
        "handle": "handle",
        "platform_user_id": "user",
        "platform_video_id": "post",
        "job_id": "job",
    },
    "listings": {"handle": "handle", "platform_user_id": "user"},
}
"""Columns that name accounts, posts and jobs, by table."""

AHEAD = 16
"""How many batches are in memory beside those of a transaction. A crawl lands some 700 readings."""

Landed = dict[str, pl.DataFrame]


@dataclass(frozen=True, slots=True)
class RegistrationResult:
    """The result of one landed batch. Counts are rows, over all projects.

    `was_registered` is True for a batch that landed twice and was dropped. `rejected` is the
    reason for which a damaged one was rejected, `waits` the reason for which one stays in place: a
    newer version wrote it, or it was captured in the future. `error` is why it failed otherwise.
    """

    batch_id: UUID
    video_readings: int = 0
    fetches: int = 0
    comments: int = 0
    was_registered: bool = False
    rejected: str | None = None
    waits: str | None = None
    error: Exception | None = None


Reading = Callable[[Batch], Landed | RegistrationResult]


@dataclass(frozen=True, slots=True)
class Gathered:
    """Batches in their order: the frames of those to register, and the results of others."""

    batches: dict[UUID, Batch] = field(default_factory=dict)
    landed: dict[UUID, Landed] = field(default_factory=dict)
    results: dict[UUID, RegistrationResult] = field(default_factory=dict)


class ReadAhead:
    """Reads landed batches, oldest first, the next ones while earlier ones are registered."""

    def __init__(self, landing: Landing, batches: Iterable[Batch], pool: Executor) -> None:
        self._landing, self._next, self._pool = landing, iter(batches), pool
        self._begun: dict[UUID, Future[Landed | RegistrationResult]] = {}

    def __call__(self, batch: Batch) -> Landed | RegistrationResult:
        """Return what `read` does. A batch is kept until a later one is requested.

        One that could not be read ahead is read again: its bucket may be back by now.
        """
        self._begun = {key: begun for key, begun in self._begun.items() if key >= batch.batch_id}
        for following in islice(self._next, AHEAD - len(self._begun)):
            self._begun[following.batch_id] = self._pool.submit(read, self._landing, following)
        begun = self._begun.get(batch.batch_id)
        if begun is None or begun.exception():
            return read(self._landing, batch)
        return begun.result()


@contextmanager
def reading_ahead(landing: Landing, batches: Iterable[Batch]) -> Iterator[Reading]:
    """Read these batches ahead during the block, in a thread."""
    with ThreadPoolExecutor(1) as pool:
        try:
            yield ReadAhead(landing, batches, pool)
        finally:
            pool.shutdown(cancel_futures=True)


def gather(reading: Reading, batches: Iterable[Batch], latest: datetime | None) -> Gathered:
    """Read the first of these batches, and further ones that may be registered with it.

    Batches with an instant after `latest` wait. Crawls of comments are alone, because each changes
    what an organization's daily allowance leaves for the next. Raises only what reading the first
    batch raises.
    """
    gathered, rows, subjects = Gathered(), 0, set[str]()
    for batch in batches:
        try:
            landed = _in_time(batch, reading(batch), latest)
        except Exception:
            if not gathered.batches:
                raise
            break
        if isinstance(landed, RegistrationResult):
            gathered.results[batch.batch_id] = landed
            gathered.batches[batch.batch_id] = batch
            continue
        rows += sum(frame.height for frame in landed.values())
        is_alone = rows > MOST_ROWS or not landed["comment_walks"].is_empty()
        batch_subjects = _subjects(landed)
        if gathered.landed and (is_alone or not subjects.isdisjoint(batch_subjects)):
            break
        gathered.landed[batch.batch_id] = landed
        gathered.batches[batch.batch_id] = batch
        subjects |= batch_subjects
        if is_alone or len(gathered.landed) == MOST_BATCHES:
            break
    return gathered


def read(landing: Landing, batch: Batch) -> Landed | RegistrationResult:
    """Return the frames of a batch, or why it is not registered."""
    try:
        with landing.at_hand(batch) as here:
            return read_landed(here)
    except NewerBatchError as newer:
        waits = f"written by a newer version ({newer}): upgrade"
        return RegistrationResult(batch.batch_id, waits=waits)
    except DamagedBatchError as error:
        return RegistrationResult(batch.batch_id, rejected=str(error))
    except FileNotFoundError:
        if landing.has(batch):
            raise
        return RegistrationResult(batch.batch_id, was_registered=True)  # by another process


def _in_time(
    batch: Batch, landed: Landed | RegistrationResult, latest: datetime | None
) -> Landed | RegistrationResult:
    """Return the frames unless they have an instant after `latest`."""
    if isinstance(landed, RegistrationResult):
        return landed
    instants = [landed[name][at].max() for name, at in (SEEN_AT | FINISHED_AT).items()]
    if future := [at for at in instants if latest and isinstance(at, datetime) and at > latest]:
        waits = f"captured in the future ({max(future)}): the clock of its worker was wrong"
        return RegistrationResult(batch.batch_id, waits=waits)
    return landed


def _subjects(landed: Landed) -> set[str]:
    """Return the accounts, posts and jobs that a batch names."""
    subjects = set[str]()
    for table, columns in SUBJECTS.items():
        if landed[table].height:
            names = [
                pl.concat_str(pl.lit(kind), "platform", column, separator=" ").alias(column)
                for column, kind in columns.items()
            ]
            for name in landed[table].select(names).iter_columns():
                subjects.update(name.drop_nulls().str.to_lowercase())
    return subjects
