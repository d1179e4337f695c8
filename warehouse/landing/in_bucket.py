"""The landing zone in an S3-compatible bucket.

A batch is where its manifest is, and complete once that exists. A move writes the
manifest of the next place, then deletes the old one. If killed in between, the batch is in both,
and the move is repeated. Nothing depends on renames, links or locks in the bucket.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from uuid import UUID

import structlog

from warehouse.at_once import at_once
from warehouse.ids import uuid7
from warehouse.landing.archive import IngestedBatch, Segment, each_once
from warehouse.landing.batches import Batch, DamagedBatchError
from warehouse.landing.compaction import merge, unless_damaged
from warehouse.landing.folders import scratch_folder
from warehouse.landing.in_folder import FolderLanding
from warehouse.landing.landing import Fill, HasFiles
from warehouse.landing.object_names import (
    batch_of,
    data_object,
    form_of,
    listed_form,
    manifest_name,
)
from warehouse.landing.uploads import Manifest, each_to_send, forget_leftovers, send_objects
from warehouse.storage.bucket import BucketStorage
from warehouse.storage.storage import PathExistsError, StorageAwayError

log = structlog.get_logger(__name__)

DAYS = "archive/days"
SINGLES = "archive/batches"


class BucketLanding:
    """A Landing in a bucket. `here` stores what was landed on this machine until it is uploaded."""

    def __init__(self, bucket: BucketStorage, here: FolderLanding) -> None:
        self._bucket = bucket
        self._here = here

    def check(self) -> None:
        """Upload what waits here. Raises OSError or StorageAwayError if no batch can be landed."""
        self._here.check()
        self._send()

    def land(self, fill: Fill) -> UUID:
        """Write a new batch to this machine's disk, then upload it and earlier ones.

        While the bucket is unavailable it stays here, which is logged; the next landing or listing
        on this machine uploads it.
        """
        batch_id = self._here.land(fill)
        try:
            self._send(batch_id)
        except StorageAwayError as away:
            log.warning(
                "batches stay on this machine until the bucket takes them",
                path=str(self._here.root / "incoming"),
                error=str(away),
            )
        return batch_id

    def register(self, batch_id: UUID, fill: Fill) -> UUID:
        """Store a batch's registered form beside those of other attempts. Returns its form."""
        form = uuid7()
        with scratch_folder(self._here.root / "sending") as folder:
            fill(folder)
            self._put("registered", batch_id, form, folder)
        return form

    def incoming(self) -> list[Batch]:
        """Upload what waits here. Returns all batches that wait for registration, oldest first."""
        self._send()
        return self._listed("incoming")

    def landed(self, batch_id: UUID) -> Batch | None:
        """Return a batch that waits for registration, or None if it is not in the bucket."""
        batch = Batch(batch_id, Path(manifest_name("incoming", batch_id, batch_id)), batch_id)
        return batch if self.has(batch) else None

    def registered(self) -> list[Batch]:
        return self._listed("registered")

    @contextmanager
    def at_hand(self, what: HasFiles) -> Iterator[HasFiles]:
        """Fetch the files of a batch or segment for the block."""
        manifest = self._manifest(what.path)
        with scratch_folder(self._here.root / "fetched") as folder:
            self._fetch(what.path, manifest, folder)
            yield replace(what, path=folder)

    def has(self, batch: Batch) -> bool:
        return self._bucket.find(str(batch.path)) is not None

    def drop(self, batch: Batch) -> None:
        """Delete a batch's manifest, then its objects."""
        with suppress(FileNotFoundError):
            self._drop(batch.path)

    def reject(self, batch: Batch, reason: str) -> str:
        """Move a batch's manifest to `rejected` with the reason. Returns its name."""
        why = {"reason": f"{reason} (it was {batch.path})"}
        manifest = self._manifest(batch.path).model_copy(update=why)
        target = manifest_name("rejected", batch.batch_id, batch.form)
        with suppress(PathExistsError):  # rejected before
            self._bucket.put(target, manifest.content)
        self._bucket.delete(str(batch.path))
        return target

    def rejected_ids(self) -> set[UUID]:
        return {batch.batch_id for batch in self._listed("rejected")}

    def archive(self, batch: Batch, ingested: IngestedBatch) -> None:
        """Move a registered batch's manifest into the archive.

        A worker of another shard, which ingested it at another instant, may have been interrupted
        in between. Its manifest stays; `compact` deletes duplicates.
        """
        manifest = self._manifest(batch.path).model_copy(update={"batches": (ingested,)})
        prefix = f"{SINGLES}/{ingested.day.isoformat()}"
        name = manifest_name(prefix, batch.batch_id, batch.form)
        with suppress(PathExistsError):
            self._bucket.put_at_last(name, manifest.content)
        self._bucket.delete(str(batch.path))

    def segments(self) -> list[Segment]:
        manifests = self._segments(self._names("archive"))
        compacted = [segment for segment in manifests if segment.is_compacted]
        return each_once(compacted, [segment for segment in manifests if not segment.is_compacted])

    def compact(self, today: date) -> bool:
        """Compact each past day's archived batches. Returns whether there were any.

        The compacted segments, which grow over years, are listed only in that case.
        """
        names = self._each_batch_once(self._names(SINGLES))
        past = sorted({day for name in names if (day := name.split("/")[2]) < today.isoformat()})
        names += self._names(DAYS) if past else []
        for day in past:
            with unless_damaged(day):
                self._compact(day, [name for name in names if f"/{day}" in name])
        return bool(past)

    def tidy(self, now: datetime) -> None:
        """Delete objects that no manifest names, a day after they were written."""
        forget_leftovers(self._bucket, now)

    def _each_batch_once(self, names: list[str]) -> list[str]:
        """Return one name per batch. Deletes the others, which name the same objects."""
        first = {batch_of(name): name for name in reversed(names)}
        for again in set(names) - set(first.values()):
            self._bucket.delete(again)
        return sorted(first.values())

    def _compact(self, day: str, names: list[str]) -> None:
        manifests = self._segments(names)
        singles = [segment for segment in manifests if not segment.is_compacted]
        segments = each_once([segment for segment in manifests if segment.is_compacted], singles)
        if fresh := [segment for segment in segments if not segment.is_compacted]:
            self._write_day(day, fresh)
        for segment in singles:
            self._drop(segment.path)

    def _write_day(self, day: str, singles: list[Segment]) -> None:
        batches = tuple(segment.batches[0] for segment in singles)
        name = f"{day}_{batches[0].batch_seq:012}-{batches[-1].batch_seq:012}"
        with scratch_folder(self._here.root / "fetched") as folder:
            here = [self._fetched(segment, folder / str(n)) for n, segment in enumerate(singles)]
            target = folder / "day"
            target.mkdir()
            merge(here, target)
            self._put(DAYS, name, uuid7(), target, batches)

    def _fetched(self, segment: Segment, folder: Path) -> Segment:
        folder.mkdir()
        self._fetch(segment.path, self._manifest(segment.path), folder)
        return replace(segment, path=folder)

    def _send(self, awaited: UUID | None = None) -> None:
        """Upload the batches on this machine. A batch's id is its form too."""
        for batch in each_to_send(self._here, awaited):
            self._put("incoming", batch.batch_id, batch.batch_id, batch.path)

    def _put(
        self,
        prefix: str,
        name: object,
        form: UUID,
        folder: Path,
        batches: tuple[IngestedBatch, ...] = (),
    ) -> None:
        """Write the objects, then the manifest that completes the batch or segment."""
        made = Manifest(objects=send_objects(self._bucket, form, folder), batches=batches)
        self._bucket.put_at_last(manifest_name(prefix, name, form), made.content)

    def _manifest(self, path: Path) -> Manifest:
        content = self._bucket.read(str(path))
        if content is None:
            raise FileNotFoundError(f"{path} is no longer in the bucket")
        return Manifest.read(content)

    def _fetch(self, path: Path, manifest: Manifest, folder: Path) -> None:
        """Write the objects of a manifest to a folder."""
        form = listed_form(path)

        def fetch(table: str) -> None:
            file = folder / f"{table}.parquet"
            try:
                self._bucket.fetch(data_object(form, table), file)
            except FileNotFoundError:
                self._manifest(path)  # another worker deletes the manifest first
                raise DamagedBatchError(f"{file.name} is not in the bucket") from None
            if file.stat().st_size != manifest.objects[table]:
                raise DamagedBatchError(f"{file.name} has another size than in its manifest")

        list(at_once(fetch, manifest.objects))

    def _drop(self, path: Path) -> None:
        manifest, form = self._manifest(path), listed_form(path)
        self._bucket.delete(str(path))
        for table in manifest.objects:
            self._bucket.delete(data_object(form, table))

    def _names(self, prefix: str) -> list[str]:
        names = (file.path for file in self._bucket.files(prefix))
        return sorted(name for name in names if form_of(name) is not None)

    def _listed(self, prefix: str) -> list[Batch]:
        return sorted(
            Batch(batch_id, Path(file.path), form, file.written_at.timestamp())
            for file in self._bucket.files(prefix)
            if (form := form_of(file.path)) and (batch_id := batch_of(file.path))
        )

    def _segments(self, names: list[str]) -> list[Segment]:
        manifests = at_once(lambda name: self._manifest(Path(name)), names)
        return [
            Segment(Path(name), manifest.batches, name.startswith(DAYS))
            for name, manifest in zip(names, manifests, strict=True)
        ]
