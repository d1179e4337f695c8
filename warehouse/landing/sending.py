"""Batches that lie on this machine and belong into a bucket, one sender each.

A batch that two processes sent would be whole anew after its registration had taken it away, and
some of its objects gone.
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
"""Well under the age at which what no manifest names is taken away."""


def each_to_send(here: FolderLanding) -> Iterator[Batch]:
    """Yield the batches that nobody else sends, oldest first; each goes once it was sent."""
    for batch in here.incoming():
        with folders.try_own(batch.path) as is_ours:
            if is_ours:
                yield batch
                here.drop(batch)


def send_objects(bucket: BucketStorage, form: UUID, folder: Path) -> dict[str, int]:
    """Send the Parquet files of a folder as the objects of a form; return the bytes of each table.

    Its manifest is to follow at once. Raises StorageAwayError.
    """
    began = time.time()
    files = sorted(folder.glob("*.parquet"))
    names = [data_object(form, file.stem) for file in files]
    list(at_once(lambda sent: bucket.send(*sent), zip(names, files, strict=True)))
    if time.time() - began > LONGEST_WRITE_SECONDS:
        raise StorageAwayError("it took so long that the first objects may be gone again")
    return {file.stem: file.stat().st_size for file in files}
