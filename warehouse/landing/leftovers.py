"""Removes what dead writers left in a bucket: objects that no manifest names.

A live writer has not named its objects yet, so they stay for a day.
"""

from collections import defaultdict
from datetime import datetime, timedelta
from uuid import UUID

from warehouse.landing.object_names import form_of
from warehouse.storage.bucket import BucketStorage
from warehouse.storage.storage import StoredFile

AGE = timedelta(days=1)

PREFIXES = ("incoming", "registered", "rejected", "archive")
"""In the order in which batches move, so that a batch that moves during the listing is seen."""


def forget_leftovers(bucket: BucketStorage, now: datetime) -> None:
    """Delete the objects of each form without manifest, a day after the last one was written."""
    written: dict[UUID, list[StoredFile]] = defaultdict(list)
    for stored in bucket.files("data"):
        if (form := _form_of_object(stored.path)) is not None:
            written[form].append(stored)
    old = {
        form: files
        for form, files in written.items()
        if max(file.written_at for file in files) < now - AGE
    }
    if not old:
        return
    named = {form_of(file.path) for prefix in PREFIXES for file in bucket.files(prefix)}
    for form in old.keys() - named:
        for file in old[form]:
            bucket.delete(file.path)


def _form_of_object(path: str) -> UUID | None:
    try:
        return UUID(path.split("/")[1])
    except ValueError:
        return None
