"""What no publication of the last 24 hours names goes from the bucket, and so does half an upload.

Whoever sends now has not written its manifest yet, so objects are let lie for a day.
"""

from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from sqlalchemy import delete

from warehouse.operational.models import SharedPublication
from warehouse.operational.store import OperationalStore
from warehouse.publication.shared.manifest import FOLDER, read
from warehouse.publication.shared.pointer import kept_and_due
from warehouse.storage.at_once import at_once
from warehouse.storage.bucket import BucketStorage

AGE = timedelta(days=1)


def forget_unnamed(bucket: BucketStorage, store: OperationalStore, now: datetime) -> None:
    """Delete what no publication names that is served, or was within 24 hours, and their rows.

    Nothing is listed before an hour of them is due. `now` is the real time, to which the bucket's
    of its objects are compared; how long ago one was replaced goes by PostgreSQL's clock.
    """
    with store.read_session() as session:
        retained, due = kept_and_due(session)
    if not due:
        return
    named = _named(bucket, retained)
    for file in list(bucket.files(FOLDER)):
        if file.path not in named and file.written_at < now - AGE:
            bucket.delete(file.path)
    with store.write_session() as session:
        session.execute(delete(SharedPublication).where(SharedPublication.publication_id.in_(due)))


def _named(bucket: BucketStorage, retained: list[UUID]) -> set[str]:
    """Return the names of all that the publications consist of, manifests included."""
    manifests = [manifest for manifest in at_once(partial(read, bucket), retained) if manifest]
    return {name for manifest in manifests for name in (manifest.name, *manifest.objects)}
