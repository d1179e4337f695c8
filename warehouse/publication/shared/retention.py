"""Publications that need not stay go from the bucket, and so does half an upload.

A database belongs to one publication and goes with it. Other objects lie for a day unnamed: an
upload that is under way has not written its manifest yet.
"""

from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from sqlalchemy import delete

from warehouse.operational.models import SharedPublication
from warehouse.operational.store import OperationalStore
from warehouse.publication.layout import DATABASE
from warehouse.publication.shared.manifest import FOLDER, Manifest, read
from warehouse.publication.shared.pointer import kept_and_due
from warehouse.storage.at_once import at_once
from warehouse.storage.bucket import BucketStorage

AGE = timedelta(days=1)


def forget_unnamed(bucket: BucketStorage, store: OperationalStore, now: datetime) -> None:
    """Delete what no publication names that stays (kept_and_due), and the rows of those that go.

    Nothing is listed before an hour of them is due. `now` is the real time, to which the bucket's
    of its objects are compared; how long ago one was replaced goes by PostgreSQL's clock.
    """
    with store.read_session() as session:
        retained, due = kept_and_due(session)
    if not due:
        return
    named = {name for manifest in _manifests(bucket, retained) for name in _all_of(manifest)}
    going = _manifests(bucket, due)
    manifests = {manifest.name for manifest in going}
    gone = manifests | {manifest.files[DATABASE].object for manifest in going}
    # Manifests last: one that is gone no longer names its database.
    for file in sorted(bucket.files(FOLDER), key=lambda file: file.path in manifests):
        is_due = file.path in gone or file.written_at < now - AGE
        if is_due and file.path not in named:
            bucket.delete(file.path)
    with store.write_session() as session:
        session.execute(delete(SharedPublication).where(SharedPublication.publication_id.in_(due)))


def _manifests(bucket: BucketStorage, publication_ids: list[UUID]) -> list[Manifest]:
    return [manifest for manifest in at_once(partial(read, bucket), publication_ids) if manifest]


def _all_of(manifest: Manifest) -> set[str]:
    """Return the names of all that a publication consists of, its manifest included."""
    return {manifest.name, *manifest.objects}
