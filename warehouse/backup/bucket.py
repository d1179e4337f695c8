"""Batches in a bucket: a backup names the version of each object, a restore brings those along.

The bytes stay where they are, so a bucket that keeps no versions cannot be backed up: what is
archived today is compacted tomorrow, and its objects are deleted. A restore copies them to another
place, where the batches are what they were when the backup was taken.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from uuid import UUID

from warehouse.backup.dump import Snapshot
from warehouse.backup.errors import BatchesElsewhereError, DamagedBackupError, NotEmptyError
from warehouse.backup.manifest import BucketRecord
from warehouse.landing.bucket import open_landing_bucket
from warehouse.landing.folders import scratch_folder
from warehouse.landing.leftovers import PREFIXES
from warehouse.landing.manifest import Manifest
from warehouse.landing.object_names import batch_of, data_object, form_of
from warehouse.settings import Settings
from warehouse.storage.at_once import at_once
from warehouse.storage.bucket import BucketStorage
from warehouse.storage.storage import FileVersion, NoVersionsError

INCOMING = "incoming"


class BucketBatches:
    """Batches in the settings' bucket, of whose objects the versions are noted."""

    def __init__(self, settings: Settings) -> None:
        self._bucket = bucket_of(settings)
        self._url = str(settings.landing_url)
        self._objects: dict[str, FileVersion] = {}
        self._copied: set[UUID] = set()

    def copy(self, prefix: str) -> None:
        """Note the batches at a place."""
        self._note(_manifests(self._bucket, prefix))

    def copy_registered(self, snapshot: Snapshot) -> None:
        """Note the batches whose registration is in the dump."""
        batches = {path: batch_of(path) for path in _manifests(self._bucket, "registered")}
        known = snapshot.registered({batch for batch in batches.values() if batch})
        self._note(path for path, batch in batches.items() if batch in known)

    def copied(self) -> set[UUID]:
        """Return which batches were noted as registered, archived or set aside."""
        return self._copied

    def record(self) -> BucketRecord:
        """Return what was noted."""
        return BucketRecord(url=self._url, objects=dict(sorted(self._objects.items())))

    def _note(self, manifests: Iterable[str]) -> None:
        try:
            for versions, batches in at_once(self._versions, manifests):
                self._objects.update(versions)
                self._copied |= batches
        except NoVersionsError as error:
            raise BatchesElsewhereError(
                f"{self._url} (TRACKER_LANDING_URL) keeps no versions of its objects, so that "
                "what a backup names would soon be gone: turn the bucket's versioning on"
            ) from error

    def _versions(self, path: str) -> tuple[dict[str, FileVersion], set[UUID]]:
        """Return the versions of a manifest and its objects, and the batches that this keeps.

        Nothing where the batch moves meanwhile. What is missing from a batch that stays is missing
        after a restore too.
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
    """Raise NotEmptyError where batches of something else lie, which nothing moves aside."""
    target = bucket_of(settings)
    there = {path for prefix in PREFIXES for path in _manifests(target, prefix)}
    if strays := sorted(there - record.objects.keys()):
        raise NotEmptyError(
            f"{settings.landing_url} holds other batches ({strays[0]}): name another bucket, or "
            "another prefix, in TRACKER_LANDING_URL"
        )


def verify_objects(settings: Settings, record: BucketRecord) -> None:
    """Raise DamagedBackupError unless all versions are still kept."""
    source = _source(settings, record)

    def verify(name: str) -> None:
        if not source.has_version(name, record.objects[name]):
            raise DamagedBackupError(
                f"{record.url} no longer keeps {name} as it was; use another backup"
            )

    list(at_once(verify, record.objects))


def bring_objects(settings: Settings, record: BucketRecord) -> Iterator[int]:
    """Copy all versions to the bucket of the settings, manifests last: they make the batches.

    Yields the bytes of each.
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
    """Return the bucket of TRACKER_LANDING_URL, which is set."""
    bucket = open_landing_bucket(settings)
    if bucket is None:
        raise BatchesElsewhereError(
            "the backup's batches lie in a bucket: name one to bring them to in TRACKER_LANDING_URL"
        )
    return bucket


def _source(settings: Settings, record: BucketRecord) -> BucketStorage:
    return bucket_of(settings.model_copy(update={"landing_url": record.url}))


def _manifests(bucket: BucketStorage, prefix: str) -> list[str]:
    return [file.path for file in bucket.files(prefix) if form_of(file.path) is not None]
