"""Sends a publication from the machine that built it to the bucket: objects, manifest, pointer.

If killed at any step, the pointer names the previous, complete publication. Sent objects are not
sent again, and are deleted after a day if no manifest names them.
"""

import hashlib
import os
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from uuid import UUID

import structlog
from sqlalchemy import delete, text

from warehouse.at_once import at_once
from warehouse.landing.bucket import open_landing_bucket
from warehouse.landing.folders import scratch_folder
from warehouse.operational.clock import clock_of_database
from warehouse.operational.models import SharedPublication
from warehouse.operational.store import OperationalStore
from warehouse.publication.current import CurrentPublication
from warehouse.publication.errors import DamagedPublicationError, NoPublication
from warehouse.publication.info import PublicationInfo
from warehouse.publication.layout import DATABASE, MONTHS
from warehouse.publication.shared.manifest import FOLDER, OBJECTS, Manifest, SharedFile, pack, read
from warehouse.publication.shared.nodes import is_node
from warehouse.publication.shared.pointer import (
    announce,
    is_to_share,
    point_to,
    pointer,
    retained_and_due,
)
from warehouse.settings import Settings
from warehouse.shards.lease import Lease, lease
from warehouse.storage.bucket import BucketStorage
from warehouse.storage.storage import StorageAwayError
from warehouse.warehouse_lock import warehouse_lock

# A database is deleted with its publication. Other objects may be unnamed for a day, because an
# upload under way has not written its manifest yet.
AGE = timedelta(days=1)
OBJECTS_LOCK = 0x7368_6172_6564_6F62
"""Advisory lock of a process that deletes objects. Those that point to a publication share it from
the last look at its objects until their commit. Deletions before that show, later ones know it.
"""
_TRY_DELETE = "select pg_try_advisory_xact_lock(:key)"
_AWAIT_POINT = "select pg_advisory_xact_lock_shared(:key)"


def forget_unnamed(bucket: BucketStorage, store: OperationalStore) -> None:
    """Delete objects that no retained publication names, and rows of due ones (retained_and_due).

    Lists nothing before an hour's publications are due, and while a retained manifest cannot be
    read or a publication is being pointed to. Ages are by PostgreSQL's clock: this machine's may be
    wrong. Raises OperationalError if it may no longer delete.
    """
    with store.write_session() as session:
        if not session.scalar(text(_TRY_DELETE), {"key": OBJECTS_LOCK}):
            return  # the next publication tries again
        now = clock_of_database(session)
        retained, due = retained_and_due(session)
        if not due:
            return
        try:
            named = {name for each in _manifests(read, bucket, retained) for name in _all_of(each)}
        except DamagedPublicationError as damaged:
            log.warning(
                "nothing is deleted from the bucket: what to keep is unknown", error=str(damaged)
            )
            return
        going = _manifests(_read_known, bucket, due)
        manifests = {manifest.name for manifest in going}
        gone = manifests | {manifest.files[DATABASE].object for manifest in going}
        # Manifests last: a deleted one no longer names its database.
        for file in sorted(bucket.files(FOLDER), key=lambda file: file.path in manifests):
            is_due = file.path in gone or file.written_at < now - AGE
            if is_due and file.path not in named:
                session.execute(text("select 1"))  # fails if the lock ended with its transaction
                bucket.delete(file.path)
        session.execute(delete(SharedPublication).where(SharedPublication.publication_id.in_(due)))


def _manifests(
    read_one: Callable[[BucketStorage, UUID], Manifest | None],
    bucket: BucketStorage,
    publication_ids: list[UUID],
) -> list[Manifest]:
    manifests = at_once(partial(read_one, bucket), publication_ids)
    return [manifest for manifest in manifests if manifest]


def _read_known(bucket: BucketStorage, publication_id: UUID) -> Manifest | None:
    """Return a publication's manifest, or None if there is none or it cannot be read."""
    with suppress(DamagedPublicationError):
        return read(bucket, publication_id)
    return None


def _all_of(manifest: Manifest) -> set[str]:
    """Return the names of a publication's objects and of its manifest."""
    return {manifest.name, *manifest.objects}


log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Sent:
    """Bytes of a publication in the bucket, and of those sent."""

    all_bytes: int
    sent_bytes: int


def authorize(
    settings: Settings,
    store: OperationalStore,
    own_lease: Lease,
    members: str | None,
    info: PublicationInfo,
) -> None:
    """Let a publication become this machine's current one, and assign its position.

    `members` as in `announce`. Raises LeaseLostError.
    """
    with store.write_session() as session:
        own_lease.require(session)
        if settings.landing_bucket is not None:
            announce(session, info, settings.shard, members)


def share(
    settings: Settings,
    store: OperationalStore,
    info: PublicationInfo,
    own_lease: Lease,
) -> Sent | None:
    """Send a new publication to the bucket, if there is one, and point to it.

    If the bucket is unavailable or full, this is logged; `share_last` or the next publication
    tries again. The caller holds the warehouse's lock and the lease. Raises LeaseLostError.
    """
    bucket = open_landing_bucket(settings)
    if bucket is None:
        return None
    try:
        sent = _share(bucket, store, settings, info, own_lease)
        forget_unnamed(bucket, store)
    except StorageAwayError as away:
        log.warning(
            "the bucket is away: other machines serve an earlier publication",
            publication_id=str(info.publication_id),
            error=str(away),
        )
        return None
    return sent


def share_last(settings: Settings, store: OperationalStore) -> Sent | None:
    """Share this machine's last publication if that failed. Waits for the warehouse."""
    with warehouse_lock(settings), lease(settings, store) as own_lease:
        info = unshared(settings, store)
        return share(settings, store, info, own_lease) if info else None


def unshared(settings: Settings, store: OperationalStore) -> PublicationInfo | None:
    """Return this machine's last publication if other machines should serve it and cannot.

    None without a bucket, or if nothing is built here.
    """
    if settings.landing_bucket is None or is_node(settings):
        return None
    try:
        with closing(CurrentPublication(settings.publications_path)) as current:
            info = current.info()
    except NoPublication:
        return None
    with store.read_session() as session:
        return info if is_to_share(session, info, settings.shard) else None


def _share(
    bucket: BucketStorage,
    store: OperationalStore,
    settings: Settings,
    info: PublicationInfo,
    own_lease: Lease,
) -> Sent:
    with store.write_session() as session:
        own_lease.require(session)  # a position that was deleted after a day would be a new one
        before = pointer(session, settings.shard)
        position = announce(session, info, settings.shard)
    publications = settings.publications_path
    folder = publications / str(info.publication_id)
    known = _read_known(bucket, before.publication_id) if before else None
    with scratch_folder(publications) as scratch:
        packed = scratch / DATABASE
        pack(folder / DATABASE, packed)
        files = {DATABASE: content_of(packed, packed=True), **_months(folder, publications, known)}
        sent = _send(bucket, {path: folder / path for path in files} | {DATABASE: packed}, files)
    manifest = Manifest(publication_id=info.publication_id, position=position, files=files)
    with store.write_session() as session:
        session.execute(text(_AWAIT_POINT), {"key": OBJECTS_LOCK})
        if lost := _lacking(bucket, files):
            raise StorageAwayError(f"{lost[0]} is no longer in the bucket")
        bucket.put_at_last(manifest.name, manifest.content)
        own_lease.require(session)
        point_to(session, info.publication_id)
    done = Sent(sum(file.size for file in files.values()), sent)
    log.info("publication shared", publication_id=str(info.publication_id), **asdict(done))
    return done


def _months(folder: Path, publications: Path, known: Manifest | None) -> dict[str, SharedFile]:
    """Return the content of a publication's months. Linked ones are not read again."""
    files: dict[str, SharedFile] = {}
    for path in sorted(f"{MONTHS}/{file.name}" for file in (folder / MONTHS).iterdir()):
        before = publications / str(known.publication_id) / path if known else None
        if known and before and before.exists() and before.samefile(folder / path):
            files[path] = known.files[path]
        else:
            files[path] = content_of(folder / path)
    return files


def content_of(file: Path, *, packed: bool = False) -> SharedFile:
    """Return the content of a file, which may be compressed."""
    with file.open("rb") as opened:
        sha256 = hashlib.file_digest(opened, "sha256").hexdigest()
        return SharedFile(sha256=sha256, size=os.fstat(opened.fileno()).st_size, packed=packed)


def _send(bucket: BucketStorage, lie_at: dict[str, Path], files: dict[str, SharedFile]) -> int:
    """Send the contents that the bucket lacks. Returns the number of bytes sent."""
    lacking = _lacking(bucket, files)
    list(at_once(lambda path: bucket.send(files[path].object, lie_at[path]), lacking))
    return sum(files[path].size for path in lacking)


def _lacking(bucket: BucketStorage, files: dict[str, SharedFile]) -> list[str]:
    there = {file.path: file.size for file in bucket.files(OBJECTS)}
    return [path for path, file in files.items() if there.get(file.object) != file.size]
