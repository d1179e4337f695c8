"""Batches in a bucket: manifests, uploads by one process each, removal of what dead writers left.

A batch's Parquet objects are at `data/<form>/<table>.parquet` and never move or change: each
attempt at writing a batch has its own form (an id). The manifest names them, and its own name says
where the batch is: `<place>/<name>.<form>.json`.

If two processes uploaded a batch, it could reappear after its registration removed it, with some
objects missing. Dead writers leave objects that no manifest names. A live writer has not named its
objects yet, so they stay for a day.
"""

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from warehouse.at_once import at_once
from warehouse.landing import folders
from warehouse.landing.archive import IngestedBatch
from warehouse.landing.batches import Batch
from warehouse.landing.in_folder import FolderLanding
from warehouse.landing.object_names import data_object, form_of
from warehouse.storage.bucket import BucketStorage
from warehouse.storage.storage import StorageAwayError, StoredFile

LONGEST_WRITE_SECONDS = 6 * 3600
"""Well below the age at which objects without manifest are deleted."""


def each_to_send(here: FolderLanding, awaited: UUID | None = None) -> Iterator[Batch]:
    """Yield the batches that no other process uploads, oldest first. Each is removed afterwards.

    If another one uploads the `awaited` batch, waits until it has done so or failed.
    """
    for batch in here.incoming():
        with folders.try_own(batch.path, wait=batch.batch_id == awaited) as is_ours:
            if is_ours:
                yield batch
                here.drop(batch)


def send_objects(bucket: BucketStorage, form: UUID, folder: Path) -> dict[str, int]:
    """Upload a folder's Parquet files as objects of a form. Returns the bytes of each table.

    Write the manifest immediately after. Raises StorageAwayError.
    """
    began = time.time()
    files = sorted(folder.glob("*.parquet"))
    names = [data_object(form, file.stem) for file in files]
    list(at_once(lambda sent: bucket.send(*sent), zip(names, files, strict=True)))
    if time.time() - began > LONGEST_WRITE_SECONDS:
        raise StorageAwayError(
            "the upload took so long that its first objects may be deleted already"
        )
    return {file.stem: file.stat().st_size for file in files}


AGE = timedelta(days=1)

PREFIXES = ("incoming", "registered", "rejected", "archive")
"""In the order in which batches move, so that a batch that moves during the listing is seen."""


def forget_leftovers(bucket: BucketStorage, now: datetime) -> None:
    """Delete the objects of each form without manifest, a day after the last one was written."""
    old = _old_forms(bucket, "data", now)
    if not old:
        return
    places = ("rejected", *PREFIXES)  # from there a person puts batches back meanwhile
    named = {form_of(file.path) for prefix in places for file in bucket.files(prefix)}
    for form in old.keys() - named:
        # Again, because a machine that was off for a day may be sending a batch again.
        for file in _old_forms(bucket, f"data/{form}", now).get(form, ()):
            bucket.delete(file.path)


def _old_forms(
    bucket: BucketStorage, folder: str, now: datetime
) -> Mapping[UUID, Sequence[StoredFile]]:
    """Return the objects of each form whose last one was written a day ago."""
    written: dict[UUID, list[StoredFile]] = defaultdict(list)
    for stored in bucket.files(folder):
        if (form := _form_of_object(stored.path)) is not None:
            written[form].append(stored)
    return {
        form: files
        for form, files in written.items()
        if max(file.written_at for file in files) < now - AGE
    }


def _form_of_object(path: str) -> UUID | None:
    try:
        return UUID(path.split("/")[1])
    except ValueError:
        return None


class Manifest(BaseModel):
    """Bytes of each table's object; the batches in the archive; the reason of a rejection."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    objects: dict[str, int]
    batches: tuple[IngestedBatch, ...] = ()
    reason: str | None = None

    @classmethod
    def read(cls, content: bytes) -> Self:
        return cls.model_validate_json(content)

    @property
    def content(self) -> bytes:
        """The stored bytes, the same for equal manifests."""
        return self.model_dump_json(exclude_defaults=True).encode()
