"""Copies batches into a backup, one place after the other, or names their versions in a bucket.

The bytes of a bucket stay in it, so a bucket without versioning cannot be backed up: compaction
deletes the archive's objects later. A restore copies the versions to another place.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Protocol
from uuid import UUID

from warehouse.at_once import at_once
from warehouse.backup.dump import Snapshot
from warehouse.backup.errors import BatchesElsewhereError, DamagedBackupError, NotEmptyError
from warehouse.backup.files import Copier, whole_entries
from warehouse.backup.manifest import BucketRecord
from warehouse.landing.archive import segments
from warehouse.landing.batches import registered, rejected_ids
from warehouse.landing.bucket import open_landing_bucket
from warehouse.landing.folders import scratch_folder
from warehouse.landing.object_names import batch_of, data_object, form_of
from warehouse.landing.uploads import PREFIXES, Manifest
from warehouse.settings import Settings
from warehouse.storage.bucket import BucketStorage
from warehouse.storage.storage import FileVersion, NoVersionsError

LANDING = "landing"


class Batches(Protocol):
    """The batches of one kind of storage, as a backup copies them."""

    def copy(self, prefix: str) -> None:
        """Copy the batches at a place.

        A batch that moves meanwhile is copied whole or not at all.
        """

    def copy_registered(self, snapshot: Snapshot) -> None:
        """Copy the batches whose registration is in the dump, in their committed form.

        Others are registered again on restore.
        """

    def copied(self) -> set[UUID]:
        """Return the ids of batches that the backup has registered, archived or set aside."""


class FolderBatches:
    """Batches in the data folder. With a bucket, these are the ones still to be uploaded."""

    def __init__(self, settings: Settings, copier: Copier) -> None:
        self._landing = settings.landing_path
        self._copier = copier
        self._copies = copier.root / LANDING
        copier.make_folder(LANDING)

    def copy(self, prefix: str) -> None:
        self._copier.make_folder(f"{LANDING}/{prefix}")
        for path in whole_entries(self._landing / prefix):
            self._copier.copy_moving_folder(path, f"{LANDING}/{prefix}/{path.name}")

    def copy_registered(self, snapshot: Snapshot) -> None:
        written = registered(self._landing)
        known = snapshot.registered({batch.batch_id for batch in written})
        self._copier.make_folder(f"{LANDING}/registered")
        for batch in written:
            if batch.batch_id in known and batch.form in {None, known[batch.batch_id]}:
                self._copier.copy_folder(batch.path, f"{LANDING}/registered/{batch.path.name}")

    def copied(self) -> set[UUID]:
        archived = {
            batch.batch_id for segment in segments(self._copies) for batch in segment.batches
        }
        waiting = {batch.batch_id for batch in registered(self._copies)}
        return archived | waiting | rejected_ids(self._copies)


INCOMING = "incoming"


class BucketBatches:
    """Batches in the settings' bucket. Records the versions of their objects."""

    def __init__(self, settings: Settings) -> None:
        self._bucket = bucket_of(settings)
        self._url = str(settings.landing_url)
        self._objects: dict[str, FileVersion] = {}
        self._copied: set[UUID] = set()

    def copy(self, prefix: str) -> None:
        self._note(_manifests(self._bucket, prefix))

    def copy_registered(self, snapshot: Snapshot) -> None:
        batches = {path: batch_of(path) for path in _manifests(self._bucket, "registered")}
        known = snapshot.registered({batch for batch in batches.values() if batch})
        self._note(
            path
            for path, batch in batches.items()
            if batch in known and form_of(path) == known[batch]
        )

    def copied(self) -> set[UUID]:
        return self._copied

    def record(self) -> BucketRecord:
        return BucketRecord(url=self._url, objects=dict(sorted(self._objects.items())))

    def _note(self, manifests: Iterable[str]) -> None:
        try:
            for versions, batches in at_once(self._versions, manifests):
                self._objects.update(versions)
                self._copied |= batches
        except NoVersionsError as error:
            raise BatchesElsewhereError(
                f"TRACKER_LANDING_URL: {self._url} has no versioning, so its objects could be "
                "deleted after the backup: turn the bucket's versioning on"
            ) from error

    def _versions(self, path: str) -> tuple[dict[str, FileVersion], set[UUID]]:
        """Return the object versions of a manifest, and the batches that these back up.

        Empty if the batch moves meanwhile. An object that is missing now is missing after a
        restore too.
        """
        versions: dict[str, FileVersion] = {}
        content, form = self._bucket.read(path), form_of(path)
        if content is None or form is None:
            return {}, set()
        manifest = Manifest.read(content)
        for name in [path, *(data_object(form, table) for table in manifest.objects)]:
            with suppress(FileNotFoundError):
                versions[name] = self._bucket.version_of(name)
        if self._bucket.find(path) is None:
            return {}, set()
        batch = batch_of(path)
        batches = {batch} if batch else {each.batch_id for each in manifest.batches}
        return versions, set() if path.startswith(f"{INCOMING}/") else batches


def require_room(settings: Settings, record: BucketRecord) -> None:
    """Raise NotEmptyError if the bucket holds other batches; nothing moves them aside."""
    target = bucket_of(settings)
    there = {path for prefix in PREFIXES for path in _manifests(target, prefix)}
    if strays := sorted(there - record.objects.keys()):
        raise NotEmptyError(
            f"{settings.landing_url} holds other batches ({strays[0]}): name another bucket, or "
            "another prefix, in TRACKER_LANDING_URL"
        )


def verify_objects(settings: Settings, record: BucketRecord) -> None:
    """Raise DamagedBackupError unless the bucket still has all versions."""
    source = _source(settings, record)

    def verify(name: str) -> None:
        if not source.has_version(name, record.objects[name]):
            raise DamagedBackupError(
                f"{record.url} no longer has this version of {name}; use another backup"
            )

    list(at_once(verify, record.objects))


def bring_objects(settings: Settings, record: BucketRecord) -> Iterator[int]:
    """Copy all versions to the settings' bucket.

    Manifests come last, because they make the batches.

    Yields the bytes of each object.
    """
    source, target = _source(settings, record), bucket_of(settings)
    with scratch_folder(settings.landing_path / "fetched") as folder:

        def bring(number: int, name: str) -> int:
            file, version = folder / str(number), record.objects[name]
            source.fetch(name, file, version.version)
            target.send(name, file)
            file.unlink()
            return version.size

        numbered = list(enumerate(record.objects))
        data = [entry for entry in numbered if form_of(entry[1]) is None]
        manifests = [entry for entry in numbered if form_of(entry[1]) is not None]
        for part in (data, manifests):
            yield from at_once(lambda entry: bring(*entry), part)


def bucket_of(settings: Settings) -> BucketStorage:
    """Return the bucket of TRACKER_LANDING_URL. Raises BatchesElsewhereError if it is not set."""
    bucket = open_landing_bucket(settings)
    if bucket is None:
        raise BatchesElsewhereError(
            "the backup's batches are in a bucket: set TRACKER_LANDING_URL to the target bucket"
        )
    return bucket


def _source(settings: Settings, record: BucketRecord) -> BucketStorage:
    return bucket_of(settings.model_copy(update={"landing_url": record.url}))


def _manifests(bucket: BucketStorage, prefix: str) -> list[str]:
    return [file.path for file in bucket.files(prefix) if form_of(file.path) is not None]
