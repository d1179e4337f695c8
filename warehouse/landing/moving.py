"""Copies a folder's archive and rejected batches into a bucket.

For installations that start to land in a bucket. A segment's name there follows from its local
path, and its manifest is written last, after the uploaded bytes were read back and compared. An
interrupted copy resumes with its last segment. Nothing is removed from the folder.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from uuid import UUID, uuid5

from sqlalchemy import select

from warehouse.at_once import at_once
from warehouse.landing.archive import Segment
from warehouse.landing.bucket import open_landing_bucket
from warehouse.landing.folders import scratch_folder
from warehouse.landing.in_bucket import DAYS, SINGLES, BucketLanding
from warehouse.landing.in_folder import FolderLanding
from warehouse.landing.object_names import batch_of, data_object, manifest_name
from warehouse.landing.uploads import Manifest, send_objects
from warehouse.operational.models import RegisteredBatch
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings
from warehouse.storage.bucket import BucketStorage
from warehouse.storage.storage import StorageAwayError

OnSegment = Callable[[int, int], None]
"""Called with the number of segments copied, and the total."""

FORMS = UUID("274aa258-d71a-4e50-a427-e611c4872777")
"""Namespace of forms, which are derived from a segment's local path."""


class NotMovableError(Exception):
    """Nothing was copied; the message says why."""


@dataclass(frozen=True)
class Moved:
    """Numbers of archive segments and rejected batches in total, and of those copied now."""

    segments: int
    sent: int


@dataclass(frozen=True)
class _Copy:
    """A local folder, and the manifest to write for it."""

    folder: Path
    prefix: str
    name: str
    manifest: Manifest

    @property
    def form(self) -> UUID:
        return uuid5(FORMS, f"{self.prefix}/{self.folder.name}")

    @property
    def target(self) -> str:
        return manifest_name(self.prefix, self.name, self.form)


def move_batches(settings: Settings, store: OperationalStore, on_segment: OnSegment) -> Moved:
    """Copy the folder's batches that the bucket lacks. `incoming` is uploaded by itself.

    The caller holds the warehouse's lock, and no registration runs here. Raises NotMovableError if
    there is no bucket, batches wait to be ingested, or the bucket has batches of another
    PostgreSQL; StorageAwayError.
    """
    here, bucket = FolderLanding(settings.landing_path), open_landing_bucket(settings)
    if bucket is None:
        raise NotMovableError("set TRACKER_LANDING_URL to a bucket first")
    written, known = here.registered(), _registered(store)
    # What a killed import left was never committed, and no run takes it away.
    if waiting := [batch for batch in written if batch.batch_id in known]:
        raise NotMovableError(
            f"{len(waiting)} batches in the folder wait to be ingested: run `tracker run` first"
        )
    archived = _archived_in(bucket, here)
    segments = here.segments()
    ours = known.union(batch.batch_id for segment in segments for batch in segment.batches)
    if foreign := archived - ours:
        raise NotMovableError(f"the bucket has {len(foreign)} batches of another installation")
    copies = [*map(_of_segment, segments), *_set_aside(here.root / "rejected")]
    lacking = [copy for copy in copies if not _is_there(bucket, copy, archived)]
    for done, copy in enumerate(lacking):
        on_segment(len(copies) - len(lacking) + done, len(copies))
        _send(bucket, copy, here.root / "fetched")
    on_segment(len(copies), len(copies))
    return Moved(len(copies), len(lacking))


def _archived_in(bucket: BucketStorage, here: FolderLanding) -> set[UUID]:
    segments = BucketLanding(bucket, here).segments()
    return {batch.batch_id for segment in segments for batch in segment.batches}


def _registered(store: OperationalStore) -> set[UUID]:
    with store.read_session() as session:
        return set(session.scalars(select(RegisteredBatch.batch_id)))


def _of_segment(segment: Segment) -> _Copy:
    first = segment.batches[0]
    prefix = DAYS if segment.is_compacted else f"{SINGLES}/{first.day.isoformat()}"
    return _Copy(
        segment.path, prefix, segment.path.name, Manifest(objects={}, batches=segment.batches)
    )


def _set_aside(folder: Path) -> Iterator[_Copy]:
    for path in sorted(folder.glob("*")):
        batch_id = batch_of(path.name.split("-again")[0])
        if batch_id is not None:
            reason = path / "reason.txt"
            reason_text = (
                reason.read_text(encoding="utf-8").strip() if reason.exists() else "no reason"
            )
            yield _Copy(path, "rejected", str(batch_id), Manifest(objects={}, reason=reason_text))


def _is_there(bucket: BucketStorage, copy: _Copy, archived: set[UUID]) -> bool:
    if copy.manifest.batches:
        return all(batch.batch_id in archived for batch in copy.manifest.batches)
    return bucket.find(copy.target) is not None


def _send(bucket: BucketStorage, copy: _Copy, scratch: Path) -> None:
    sizes = send_objects(bucket, copy.form, copy.folder)
    with scratch_folder(scratch) as read_back:
        list(at_once(lambda table: _compare(bucket, copy, table, read_back), sizes))
    made = copy.manifest.model_copy(update={"objects": sizes})
    bucket.put_at_last(copy.target, made.content)


def _compare(bucket: BucketStorage, copy: _Copy, table: str, scratch: Path) -> None:
    """Raise StorageAwayError unless the bucket has the uploaded bytes."""
    name, file = data_object(copy.form, table), f"{table}.parquet"
    try:
        bucket.fetch(name, scratch / file)
    except FileNotFoundError:
        raise StorageAwayError(f"{name} is not in the bucket after its upload") from None
    if _digest(scratch / file) != _digest(copy.folder / file):
        raise StorageAwayError(f"{name} differs from what was uploaded")


def _digest(file: Path) -> bytes:
    with file.open("rb") as opened:
        return file_digest(opened, "sha256").digest()
