"""The interface of landing zones: folders of this machine, or a bucket.

A batch is in one place at a time: incoming (landed, not registered), registered (not ingested),
archived, or rejected (with a reason). It is there completely or not at all, and an interrupted
move is repeated.
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
"""Writes a batch's Parquet files into an empty local folder."""

HasFiles = TypeVar("HasFiles", Batch, Segment)


class Landing(Protocol):
    """Stores batches. A bucket's methods raise StorageAwayError while it is unreachable."""

    def check(self) -> None:
        """Raise OSError or StorageAwayError unless a batch can be landed."""

    def land(self, fill: Fill) -> UUID:
        """Store a new batch. Returns its id once it is durable."""

    def register(self, batch_id: UUID, fill: Fill) -> UUID:
        """Store a batch's registered form. Returns the form, which tells it from other attempts."""

    def incoming(self) -> list[Batch]:
        """Return the landed batches that wait for registration, oldest first."""

    def landed(self, batch_id: UUID) -> Batch | None:
        """Return a batch that waits for registration, or None if it is gone."""

    def registered(self) -> list[Batch]:
        """Return the batches written by registration (committed or not), oldest first."""

    def at_hand(self, what: HasFiles) -> AbstractContextManager[HasFiles]:
        """Provide the files of a batch or segment in a local folder for the block.

        Raises FileNotFoundError if another process has moved it, DamagedBatchError if a part is
        missing.
        """

    def has(self, batch: Batch) -> bool:
        """Return whether a batch is still at its path."""

    def drop(self, batch: Batch) -> None:
        """Remove a batch that was replaced by another form."""

    def reject(self, batch: Batch, reason: str) -> str:
        """Reject a batch with the reason. Returns its new path."""

    def rejected_ids(self) -> set[UUID]:
        """Return the ids of rejected batches."""

    def archive(self, batch: Batch, ingested: IngestedBatch) -> None:
        """Move a registered batch whose rows are committed into the archive."""

    def segments(self) -> list[Segment]:
        """Return the whole archive in the order of batch_seq, each batch once."""

    def compact(self, today: date) -> bool:
        """Compact each past day's archived batches. Returns whether there were any.

        The caller holds the warehouse lock, so no other process changes the archive.
        """

    def tidy(self, now: datetime) -> None:
        """Remove what dead writers left."""
