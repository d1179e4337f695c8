"""The landing zone in an S3-compatible bucket.

A batch is where its manifest is (`manifest.py`), and whole once that is there. To move it is to
write the manifest of the next place before deleting the last one's: killed between, it is in both,
and the move is made again. Nothing depends on renames, links or locks in the bucket.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from uuid import UUID

import structlog

from warehouse.ids import uuid7
from warehouse.landing.archive import IngestedBatch, Segment, each_once
from warehouse.landing.batches import Batch, DamagedBatchError
from warehouse.landing.compaction import merge
from warehouse.landing.folders import scratch_folder
from warehouse.landing.in_folder import FolderLanding
from warehouse.landing.landing import Fill, HasFiles
from warehouse.landing.leftovers import forget_leftovers
from warehouse.landing.manifest import Manifest
from warehouse.landing.object_names import (
    batch_of,
    data_object,
    form_of,
    listed_form,
    manifest_name,
)
from warehouse.landing.sending import each_to_send, send_objects
from warehouse.storage.at_once import at_once
from warehouse.storage.bucket import BucketStorage
from warehouse.storage.storage import PathExistsError, StorageAwayError

log = structlog.get_logger(__name__)

DAYS = "archive/days"
SINGLES = "archive/batches"


class BucketLanding:
    """A Landing in a bucket. `here` keeps what was landed on this machine until it is sent."""

    def __init__(self, bucket: BucketStorage, here: FolderLanding) -> None:
        self._bucket = bucket
        self._here = here

    def land(self, fill: Fill) -> UUID:
        """Keep a new batch on this machine's disk, then send it and what was kept before.

        While the bucket is away it stays here, which is logged; whoever lands or lists next on
        this machine sends it.
        """
        batch_id = self._here.land(fill)
        try:
            self._send()
        except StorageAwayError as away:
            log.warning(
                "batches stay on this machine until the bucket takes them",
                path=str(self._here.root / "incoming"),
                error=str(away),
            )
        return batch_id

    def register(self, batch_id: UUID, fill: Fill) -> UUID:
        """Keep a batch's registered form beside those of other attempts; return which it is."""
        form = uuid7()
        with scratch_folder(self._here.root / "sending") as folder:
            fill(folder)
            self._put("registered", batch_id, form, folder)
        return form

    def incoming(self) -> list[Batch]:
        """Send what waits on this machine; return all that await registration, oldest first."""
        self._send()
        return self._listed("incoming")

    def landed(self, batch_id: UUID) -> Batch | None:
        """Return a batch that awaits registration; None where it is not in the bucket."""
        batch = Batch(batch_id, Path(manifest_name("incoming", batch_id, batch_id)), batch_id)
        return batch if self.has(batch) else None

    def registered(self) -> list[Batch]:
        """Return the batches written by registration (committed or not), oldest first."""
        return self._listed("registered")

    @contextmanager
    def at_hand(self, what: HasFiles) -> Iterator[HasFiles]:
        """Fetch the files of a batch or part for the block."""
        manifest = self._manifest(what.path)
        with scratch_folder(self._here.root / "fetched") as folder:
            self._fetch(what.path, manifest, folder)
            yield replace(what, path=folder)

    def has(self, batch: Batch) -> bool:
        """Tell whether a batch is still where it was found."""
        return self._bucket.find(str(batch.path)) is not None

    def drop(self, batch: Batch) -> None:
        """Delete a batch's manifest, then its objects."""
        with suppress(FileNotFoundError):
            self._drop(batch.path)

    def reject(self, batch: Batch, reason: str) -> str:
        """Name a batch's objects in a manifest with the reason; return where that is."""
        manifest = self._manifest(batch.path).model_copy(update={"reason": reason})
        target = manifest_name("rejected", batch.batch_id, batch.form)
        with suppress(PathExistsError):  # it was set aside before, for whatever reason
            self._bucket.put(target, manifest.content)
        self._bucket.delete(str(batch.path))
        return target

    def rejected_ids(self) -> set[UUID]:
        """Return the ids of the batches that were set aside."""
        return {batch.batch_id for batch in self._listed("rejected")}

    def archive(self, batch: Batch, ingested: IngestedBatch) -> None:
        """Name a registered batch's objects in the archive, and no longer among the registered.

        A worker of another shard, which ingested it at another instant, may have been interrupted
        between the two. What it named stays: `compact` deletes what names a batch again.
        """
        manifest = self._manifest(batch.path).model_copy(update={"batches": (ingested,)})
        prefix = f"{SINGLES}/{ingested.day.isoformat()}"
        name = manifest_name(prefix, batch.batch_id, batch.form)
        with suppress(PathExistsError):
            self._bucket.put_at_last(name, manifest.content)
        self._bucket.delete(str(batch.path))

    def segments(self) -> list[Segment]:
        """Return the whole archive in the order of batch_seq, each batch once."""
        manifests = self._segments(self._names("archive"))
        compacted = [segment for segment in manifests if segment.is_compacted]
        return each_once(compacted, [segment for segment in manifests if not segment.is_compacted])

    def compact(self, today: date) -> bool:
        """Make one part of each past day's archived batches; return whether there were any.

        What is compacted, which grows with the years, is only fetched where there were.
        """
        names = self._each_batch_once(self._names(SINGLES))
        past = sorted({day for name in names if (day := name.split("/")[2]) < today.isoformat()})
        names += self._names(DAYS) if past else []
        for day in past:
            self._compact(day, [name for name in names if f"/{day}" in name])
        return bool(past)

    def tidy(self, now: datetime) -> None:
        """Take away objects that no manifest names, a day after they were written."""
        forget_leftovers(self._bucket, now)

    def _each_batch_once(self, names: list[str]) -> list[str]:
        """Return the first name of each batch; delete the others, which name the same objects."""
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

    def _send(self) -> None:
        """Bring into the bucket what lies on this machine; a batch's id is its form too."""
        for batch in each_to_send(self._here):
            self._put("incoming", batch.batch_id, batch.batch_id, batch.path)

    def _put(
        self,
        prefix: str,
        name: object,
        form: UUID,
        folder: Path,
        batches: tuple[IngestedBatch, ...] = (),
    ) -> None:
        """Write the objects, then the manifest that makes them a batch or a part."""
        made = Manifest(objects=send_objects(self._bucket, form, folder), batches=batches)
        self._bucket.put_at_last(manifest_name(prefix, name, form), made.content)

    def _manifest(self, path: Path) -> Manifest:
        content = self._bucket.read(str(path))
        if content is None:
            raise FileNotFoundError(f"there is no {path} in the bucket any more")
        return Manifest.read(content)

    def _fetch(self, path: Path, manifest: Manifest, folder: Path) -> None:
        """Write the objects of a manifest to a folder."""
        form = listed_form(path)

        def fetch(table: str) -> None:
            file = folder / f"{table}.parquet"
            try:
                self._bucket.fetch(data_object(form, table), file)
            except FileNotFoundError:
                self._manifest(path)  # whoever took the batch deleted that first
                raise DamagedBatchError(f"{file.name} is not in the bucket") from None
            if file.stat().st_size != manifest.objects[table]:
                raise DamagedBatchError(f"{file.name} has another size than its manifest says")

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
            Batch(batch_id, Path(name), form_of(name))
            for name in self._names(prefix)
            if (batch_id := batch_of(name)) is not None
        )

    def _segments(self, names: list[str]) -> list[Segment]:
        manifests = at_once(lambda name: self._manifest(Path(name)), names)
        return [
            Segment(Path(name), manifest.batches, name.startswith(DAYS))
            for name, manifest in zip(names, manifests, strict=True)
        ]
