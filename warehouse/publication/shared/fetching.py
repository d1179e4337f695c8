"""Fetches a publication from the bucket to a node's data folder.

It becomes the current one once it is complete and matches its manifest; until then, and after
errors, the previous one stays. Files that the previous one has too are linked, not fetched.
"""

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from uuid import UUID

import structlog

from warehouse.at_once import at_once
from warehouse.clock import Clock, system_clock
from warehouse.landing.folders import remove, write_file
from warehouse.publication.errors import DamagedPublicationError
from warehouse.publication.info import info_of
from warehouse.publication.layout import (
    DATABASE,
    current_folder,
    new_publication,
    under_final_name,
)
from warehouse.publication.publish import complete
from warehouse.publication.retention import retire
from warehouse.publication.shared.manifest import Manifest, SharedFile, read, unpack
from warehouse.publication.shared.pointer import Pointer
from warehouse.publication.shared.sending import content_of
from warehouse.settings import Settings
from warehouse.storage.bucket import BucketStorage
from warehouse.warehouse_lock import warehouse_lock

log = structlog.get_logger(__name__)

FETCHED = "taken.json"
"""The manifest, stored in the fetched publication."""


class EarlierPublicationError(Exception):
    """PostgreSQL was restored: it points to an earlier publication than the one served here."""


def fetch(
    settings: Settings, bucket: BucketStorage, pointer: Pointer, real_clock: Clock = system_clock
) -> bool:
    """Make the pointer's publication the current one. Returns False if it is already.

    Raises StorageAwayError, DamagedPublicationError, EarlierPublicationError.
    """
    with warehouse_lock(settings):
        current = current_folder(settings.publications_path)
        if current is not None and current.name == str(pointer.publication_id):
            return False
        last = _current_manifest(current)
        if last is not None and last.position > pointer.position:
            raise EarlierPublicationError(
                "PostgreSQL points to an earlier publication than the one served"
            )
        began = time.monotonic()
        manifest = _manifest(bucket, pointer.publication_id)
        retire(settings.publications_path, real_clock())
        fetched = _fetch_files(settings.publications_path, bucket, manifest, last)
        retire(settings.publications_path, real_clock())
    figures = {"fetched_bytes": fetched, "seconds": round(time.monotonic() - began, 3)}
    log.info("publication taken", publication_id=str(pointer.publication_id), **figures)
    return True


def fetch_replaced(settings: Settings, bucket: BucketStorage, publication_id: UUID) -> None:
    """Fetch a publication that does not become the current one. The caller holds the lock.

    Raises StorageAwayError, DamagedPublicationError.
    """
    manifest = _manifest(bucket, publication_id)
    _fetch_files(settings.publications_path, bucket, manifest, None, is_current=False)


def _manifest(bucket: BucketStorage, publication_id: UUID) -> Manifest:
    manifest = read(bucket, publication_id)
    if manifest is None:
        raise DamagedPublicationError("its manifest is not in the bucket")
    return manifest


def _current_manifest(current: Path | None) -> Manifest | None:
    """Return the manifest of the current publication, or None if not fetched or unreadable."""
    if current is None or not (current / FETCHED).exists():
        return None
    with suppress(DamagedPublicationError):
        return Manifest.parse((current / FETCHED).read_bytes())
    return None


def _fetch_files(
    publications: Path,
    bucket: BucketStorage,
    manifest: Manifest,
    last: Manifest | None,
    *,
    is_current: bool = True,
) -> int:
    """Create the new publication. Returns the number of bytes fetched.

    The database comes first: it is deleted from the bucket an hour after the next publication,
    whose months are the same.
    """
    folder = publications / str(manifest.publication_id)
    # It was given up, or a kill or a full disk kept it from becoming current. Its time of
    # replacement, if it has one, would retire it at once when it is replaced.
    remove(folder)
    with new_publication(publications, manifest.publication_id, is_current=is_current) as building:
        lacking = _link(publications, building, manifest, last)
        database_first = sorted(lacking, key=lambda path: (path != DATABASE, path))
        list(at_once(lambda path: _fetch(bucket, lacking[path], building / path), database_first))
        with under_final_name(building, folder):
            complete(building / DATABASE, folder, info_of(building / DATABASE))
        write_file(building / FETCHED, manifest.content.decode())
    return sum(file.size for file in lacking.values())


def _link(
    publications: Path, building: Path, manifest: Manifest, last: Manifest | None
) -> Mapping[str, SharedFile]:
    """Link the files shared with the current publication. Returns the others.

    The database is never shared, because its views have absolute paths.
    """
    lacking = dict(manifest.files)
    if last is None:
        return lacking
    current = publications / str(last.publication_id)
    for path, file in manifest.files.items():
        if path != DATABASE and last.files.get(path) == file and (current / path).exists():
            os.link(current / path, building / path)
            del lacking[path]
    return lacking


def _fetch(bucket: BucketStorage, file: SharedFile, target: Path) -> None:
    fetched = target.with_name(f"{target.name}.packed") if file.packed else target
    try:
        bucket.fetch(file.object, fetched)
    except FileNotFoundError:
        raise DamagedPublicationError(f"{file.object} is not in the bucket") from None
    if content_of(fetched, packed=file.packed) != file:
        raise DamagedPublicationError(f"{file.object} does not match its SHA-256")
    if file.packed:
        unpack(fetched, target)
        fetched.unlink()
