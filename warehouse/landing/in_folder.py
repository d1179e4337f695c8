"""The landing zone in folders of this machine, the default."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from uuid import UUID

from warehouse.ids import uuid7
from warehouse.landing import archive, batches, compaction, folders
from warehouse.landing.archive import IngestedBatch, Segment
from warehouse.landing.batches import Batch
from warehouse.landing.landing import Fill, HasFiles


class FolderLanding:
    """A Landing below a folder, which is made with the first batch."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def land(self, fill: Fill) -> UUID:
        """Keep a new batch; it is on disk when this returns."""
        batch_id = uuid7()
        self._write("incoming", batch_id, fill)
        return batch_id

    def register(self, batch_id: UUID, fill: Fill) -> None:
        """Keep a batch's registered form, in place of that of an attempt before."""
        self._write("registered", batch_id, fill)

    def incoming(self) -> list[Batch]:
        """Return the landed batches that await registration, oldest first."""
        return batches.incoming(self.root)

    def landed(self, batch_id: UUID) -> Batch | None:
        """Return a batch that awaits registration; None where it is not there (any more)."""
        batch = Batch(batch_id, self.root / "incoming" / str(batch_id))
        return batch if self.has(batch) else None

    def registered(self) -> list[Batch]:
        """Return the batches written by registration (committed or not), oldest first."""
        return batches.registered(self.root)

    @contextmanager
    def at_hand(self, what: HasFiles) -> Iterator[HasFiles]:
        """Yield a batch or part as it is: its files lie here."""
        yield what

    def has(self, batch: Batch) -> bool:
        """Tell whether a batch is still where it was found."""
        return batch.path.exists()

    def drop(self, batch: Batch) -> None:
        """Remove a batch's folder."""
        folders.remove(batch.path)

    def reject(self, batch: Batch, reason: str) -> str:
        """Move a batch to `rejected`; return its folder there."""
        return str(batches.reject(self.root, batch, reason))

    def rejected_ids(self) -> set[UUID]:
        """Return the ids of the batches that were set aside."""
        return batches.rejected_ids(self.root)

    def archive(self, batch: Batch, ingested: IngestedBatch) -> None:
        """Move a registered batch whose rows are committed into the archive."""
        archive.archive(self.root, batch, ingested)

    def segments(self) -> list[Segment]:
        """Return the whole archive in the order of batch_seq, each batch once."""
        return archive.segments(self.root)

    def compact(self, today: date) -> bool:
        """Make one part of each past day's archived batches; return whether there were any."""
        had_past_days = bool(archive.days_before(self.root, today))
        compaction.compact(self.root, today)
        return had_past_days

    def tidy(self, now: datetime) -> None:
        """Leave everything: each listing removes what was left beside what it lists."""

    def _write(self, prefix: str, batch_id: UUID, fill: Fill) -> None:
        with folders.new_folder(self.root / prefix / str(batch_id)) as folder:
            fill(folder)
