"""Creates a backup. The package's docstring explains the order of the steps."""

import fcntl
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import UUID

from warehouse.backup.batches import Batches, BucketBatches, FolderBatches
from warehouse.backup.dump import snapshot
from warehouse.backup.errors import (
    BackupExistsError,
    BackupInsideError,
    BatchesMissingError,
)
from warehouse.backup.files import ByteCount, Copier, OnProgress, silent
from warehouse.backup.manifest import NAME, Manifest, write_manifest
from warehouse.landing.folders import make_way, sync
from warehouse.locks import try_lock
from warehouse.operational.store import OperationalStore
from warehouse.publication.layout import current_folder
from warehouse.raw.sharing import archive_locked
from warehouse.settings import Settings, history_folder
from warehouse.shards.lease import lease
from warehouse.warehouse_lock import OnWait, warehouse_lock

DUMP = "postgres.dump"
WAREHOUSE = "warehouse"
DATABASE = f"{WAREHOUSE}/warehouse.duckdb"
HISTORY = "history"
PUBLICATION = "publication"
FILES = "files"
UNFINISHED = ".unfinished"
MARKER = "backup.unfinished"
"""A file in a backup under way, so that no folder of others is taken for one."""
OWN = ("landing", "publications", "shards", "dagster", "dbt", "postgres", "rebuilding", FILES)
"""Folders of the data folder that belong to the service."""
KEY_FILE = "secret.key"
"""The API creates it once if the settings name no key."""
LOG = ".wal"
"""Suffix of DuckDB's write-ahead log, which remains after a writer was killed."""


def create_backup(
    settings: Settings,
    store: OperationalStore,
    target: Path,
    *,
    on_wait: OnWait | None = None,
    on_progress: OnProgress = silent,
) -> Manifest:
    """Write a backup to the folder `target`, which appears once it is complete.

    Waits for the warehouse's lock and for a builder on another machine (`on_wait` as in
    warehouse_lock). Raises BackupError, OSError.
    """
    _require_outside(settings, target)
    _require_empty(target)
    with (
        warehouse_lock(settings, on_wait),
        lease(settings, store, on_wait),
        _new_folder(target) as folder,
    ):
        copier = Copier(folder, ByteCount(on_progress, "copy files"))
        in_bucket = BucketBatches(settings) if settings.landing_url else None
        batches: list[Batches] = [FolderBatches(settings, copier)]
        batches += [in_bucket] if in_bucket else []
        _copy_all(batches, "incoming")
        with snapshot(store) as database, archive_locked(store):
            on_progress("dump database", 0, None)
            database.dump(folder / DUMP)
            copier.record(DUMP)
            for some in batches:
                some.copy_registered(database)
            _copy_all(batches, "rejected")
            _copy_all(batches, "archive")
            revisions = database.schema_revisions()
            _require_all(database.all_registered(), batches)
        copier.copy_folder(settings.files_path, FILES, may_lose=True)
        _copy_warehouse(copier, settings.warehouse_path)
        _copy_publication(copier, settings.publications_path)
        if (key := settings.home_path / KEY_FILE).exists():
            copier.copy_file(key, KEY_FILE)
        manifest = Manifest(
            made_at=database.exported_at,
            schema_revisions=revisions,
            folders=tuple(copier.folders),
            files=copier.files,
            bucket=in_bucket.record() if in_bucket else None,
        )
        sync(folder / DUMP)
        copier.sync()
        write_manifest(folder, manifest)
    return manifest


def _copy_all(batches: Iterable[Batches], prefix: str) -> None:
    for some in batches:
        some.copy(prefix)


def _require_all(known: set[UUID], batches: Iterable[Batches]) -> None:
    """Raise BatchesMissingError unless the backup has all batches of its dump."""
    if missing := sorted(known.difference(*(some.copied() for some in batches))):
        names = ", ".join(map(str, missing[:5]))
        raise BatchesMissingError(
            f"{len(missing)} registered batches are missing from the archive and the landing "
            f"zone ({names}): copy them from an earlier backup"
        )


def _copy_warehouse(copier: Copier, file: Path) -> None:
    copier.make_folder(WAREHOUSE)
    for suffix in ("", LOG):
        source = file.with_name(file.name + suffix)
        if source.exists():
            copier.copy_file(source, DATABASE + suffix)
    if (history := history_folder(file)).exists():
        copier.copy_folder(history, HISTORY)


def _copy_publication(copier: Copier, publications: Path) -> None:
    copier.make_folder(PUBLICATION)
    current = current_folder(publications)
    if current is not None:
        copier.copy_folder(current, f"{PUBLICATION}/{current.name}")


@contextmanager
def _new_folder(target: Path) -> Iterator[Path]:
    """Yield a temporary folder, renamed to `target` on success and removed on error."""
    _require_empty(target)
    make_way(target.parent)
    building = target.with_name(target.name + UNFINISHED)
    _clear(building)
    for file in (MARKER, NAME):  # with a manifest it lacked nothing but its name
        for left in target.parent.glob(f"*{UNFINISHED}/{file}"):
            with suppress(BackupExistsError):  # another installation's
                _clear(left.parent)
    building.mkdir(mode=0o700)  # it holds what people entered, and hashes of keys
    descriptor = os.open(building, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        (building / MARKER).touch()
        yield building
        (building / MARKER).unlink()
        sync(building)
        building.rename(target)  # onto nothing, or an empty folder: never onto data
        sync(target.parent)
    except BaseException:
        shutil.rmtree(building, ignore_errors=True)
        raise
    finally:
        os.close(descriptor)


def _clear(building: Path) -> None:
    """Remove what a killed backup left under the temporary name."""
    if not building.exists():
        return
    descriptor = os.open(building, os.O_RDONLY)
    try:
        if not try_lock(descriptor):
            raise BackupExistsError(f"another backup is being written to {building}")
        shutil.rmtree(building)
    finally:
        os.close(descriptor)


def _require_outside(settings: Settings, target: Path) -> None:
    """Raise BackupInsideError for a folder that would copy itself, or that a run tidies."""
    own = [*(settings.home_path / name for name in OWN), history_folder(settings.warehouse_path)]
    if inside := next((each for each in own if target.resolve().is_relative_to(each)), None):
        raise BackupInsideError(f"{target} is inside of {inside}: choose a folder elsewhere")


def _require_empty(target: Path) -> None:
    if target.is_file() or (target.exists() and any(target.iterdir())):
        raise BackupExistsError(f"{target} already exists: choose a new folder")
