"""What a landing zone does, wherever its batches lie: folders of this machine, or a bucket.

A batch is in one place at a time: incoming (landed, not registered), registered (not ingested),
archived, or rejected (set aside with a reason). It is there whole or not at all, and a move that
was interrupted is simply made again.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import date, datetime
from pathlib import Path
from typing import Protocol, TypeVar
from uuid import UUID

from warehouse.landing.archive import IngestedBatch, Segment
from warehouse.landing.batches import Batch

Fill = Callable[[Path], object]
"""Writes a batch's Parquet files into a folder, which is empty and on this machine."""

HasFiles = TypeVar("HasFiles", Batch, Segment)


class Landing(Protocol):
    """Keeps batches. A bucket's methods raise StorageAwayError where it cannot be reached."""

    def land(self, fill: Fill) -> UUID:
        """Keep a new batch of what was seen; return its id once nothing can lose it."""

    def register(self, batch_id: UUID, fill: Fill) -> UUID | None:
        """Keep a batch's registered form; return what tells it from other attempts at it.

        None where there is one at a time: a later attempt takes its place.
        """

    def incoming(self) -> list[Batch]:
        """Return the landed batches that await registration, oldest first."""

    def landed(self, batch_id: UUID) -> Batch | None:
        """Return a batch that awaits registration; None where it is not there (any more)."""

    def registered(self) -> list[Batch]:
        """Return the batches written by registration (committed or not), oldest first."""

    def at_hand(self, what: HasFiles) -> AbstractContextManager[HasFiles]:
        """Return a block in which the files of a batch, or of a part, lie in a folder here.

        Raises FileNotFoundError where somebody has taken it, DamagedBatchError where some of it
        is missing.
        """

    def has(self, batch: Batch) -> bool:
        """Tell whether a batch is still where it was found."""

    def drop(self, batch: Batch) -> None:
        """Forget a batch that has become something else."""

    def reject(self, batch: Batch, reason: str) -> str:
        """Set a batch aside with the reason; return where it lies now."""

    def rejected_ids(self) -> set[UUID]:
        """Return the ids of the batches that were set aside."""

    def archive(self, batch: Batch, ingested: IngestedBatch) -> None:
        """Move a registered batch whose rows are committed into the archive."""

    def segments(self) -> list[Segment]:
        """Return the whole archive in the order of batch_seq, each batch once."""

    def compact(self, today: date) -> bool:
        """Make one part of each past day's archived batches; return whether there were any.

        The caller sees to it that nobody else changes the archive: it holds the warehouse lock.
        """

    def tidy(self, now: datetime) -> None:
        """Take away what killed writers left."""
