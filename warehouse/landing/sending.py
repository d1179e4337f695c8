"""Uploads local batches to a bucket, each by one process.

If two processes uploaded a batch, it could reappear after its registration removed it, with some
objects missing.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

from warehouse.landing import folders
from warehouse.landing.batches import Batch
from warehouse.landing.in_folder import FolderLanding
from warehouse.landing.object_names import data_object
from warehouse.storage.at_once import at_once
from warehouse.storage.bucket import BucketStorage
from warehouse.storage.storage import StorageAwayError

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
