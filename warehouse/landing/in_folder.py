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
    """A Landing below a folder, which the first batch creates."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def check(self) -> None:
        """Raise OSError unless a batch can be landed."""
        folders.check_room(self.root / "incoming")

    def land(self, fill: Fill) -> UUID:
        """Store a new batch. It is on disk when this returns."""
        batch_id = uuid7()
        self._write("incoming", str(batch_id), fill)
        return batch_id

    def register(self, batch_id: UUID, fill: Fill) -> UUID:
        """Store a batch's registered form beside those of other attempts. Returns its form.

        Replacing them would be wrong: a process that was stopped meanwhile, and whose transaction
        is over, would replace a form that another one has committed.
        """
        form = uuid7()
        self._write("registered", f"{batch_id}.{form}", fill)
        return form

    def incoming(self) -> list[Batch]:
        return batches.incoming(self.root)

    def landed(self, batch_id: UUID) -> Batch | None:
        batch = Batch(batch_id, self.root / "incoming" / str(batch_id))
        return batch if self.has(batch) else None

    def registered(self) -> list[Batch]:
        return batches.registered(self.root)

    @contextmanager
    def at_hand(self, what: HasFiles) -> Iterator[HasFiles]:
        """Yield the batch or segment itself: its files are local."""
        yield what

    def has(self, batch: Batch) -> bool:
        return batch.path.exists()

    def drop(self, batch: Batch) -> None:
        folders.remove(batch.path)

    def reject(self, batch: Batch, reason: str) -> str:
        """Move a batch to `rejected`. Returns its folder there."""
        return str(batches.reject(self.root, batch, reason))

    def rejected_ids(self) -> set[UUID]:
        return batches.rejected_ids(self.root)

    def archive(self, batch: Batch, ingested: IngestedBatch) -> None:
        archive.archive(self.root, batch, ingested)

    def segments(self) -> list[Segment]:
        return archive.segments(self.root)

    def compact(self, today: date) -> bool:
        had_past_days = bool(archive.days_before(self.root, today))
        compaction.compact(self.root, today)
        return had_past_days

    def tidy(self, now: datetime) -> None:
        """Do nothing: each listing removes what dead writers left."""

    def _write(self, prefix: str, name: str, fill: Fill) -> None:
        with folders.new_folder(self.root / prefix / name) as folder:
            fill(folder)
