"""Restores a backup into an empty data folder and database, or moves older data aside.

Nothing changes before the whole backup was read and verified. From the first change to the last
the data folder carries a mark (unfinished.py), so that a partial restore is never used.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from warehouse.backup import batches, unfinished
from warehouse.backup.aside import aside_folder, require_empty, require_unused, set_aside
from warehouse.backup.batches import LANDING
from warehouse.backup.create import (
    DATABASE,
    DUMP,
    HISTORY,
    PUBLICATION,
    WAREHOUSE,
)
from warehouse.backup.dump import require_room, restore_dump, set_tables_aside
from warehouse.backup.errors import (
    BatchesElsewhereError,
    NotEmptyError,
    UnknownBackupError,
)
from warehouse.backup.files import ByteCount, OnProgress, copy_file, silent, whole_entries
from warehouse.backup.manifest import BucketRecord, Manifest, read_manifest, require_same, verify
from warehouse.encryption import Encryption
from warehouse.landing import folders
from warehouse.landing.folders import sync
from warehouse.operational.migrations import (
    BEFORE_BASELINE,
    NewerSchemaError,
    OlderSchemaError,
    migrate,
    require_known,
)
from warehouse.operational.store import store_to_restore
from warehouse.publication.publish import Publication
from warehouse.publication.relocate import publish_again
from warehouse.publication.shared.pointer import forget_all
from warehouse.sealed import unreadable_kinds
from warehouse.secret_key import existing_key
from warehouse.settings import Settings, history_folder
from warehouse.warehouse_lock import OnWait, warehouse_lock


@dataclass(frozen=True)
class Restored:
    """The result of a restore.

    `aside` names the folders, files and schemas of older data, `unreadable` the secrets that this
    machine's secret key does not open.
    """

    manifest: Manifest
    publication: Publication | None
    aside: list[str]
    unreadable: list[str]


def restore_backup(
    settings: Settings,
    source: Path,
    *,
    force: bool = False,
    on_wait: OnWait | None = None,
    on_progress: OnProgress = silent,
) -> Restored:
    """Restore the settings' data folder and PostgreSQL from the backup `source`.

    Existing data is refused, or with `force` moved aside (tables into a schema of
    their own). Raises BackupError, OperationalStoreError, OSError.
    """
    manifest = read_manifest(source)
    _require_known_schema(manifest)
    _require_room(settings, manifest, force=force)
    verify(source, manifest, on_progress)
    if manifest.bucket:
        batches.verify_objects(settings, manifest.bucket)
    folders.make_home(settings.home_path)
    with warehouse_lock(settings, on_wait):
        _require_room(settings, manifest, force=force)  # a run may have left data meanwhile
        return _restore(settings, source.resolve(), manifest, on_progress)


def _require_known_schema(manifest: Manifest) -> None:
    try:
        require_known(manifest.schema_revisions)
    except OlderSchemaError as older:
        raise UnknownBackupError(
            f"{older}: restore it with commit {BEFORE_BASELINE}, then upgrade"
        ) from older
    except NewerSchemaError as newer:
        raise UnknownBackupError(
            f"this version does not know the backup's schema revision {newer.revision}: "
            "restore it with the version that made it, or a newer one"
        ) from newer


def _require_room(settings: Settings, manifest: Manifest, *, force: bool) -> None:
    """Raise if there is data, or with `force`, if that data is in use."""
    if not force:
        if unfinished.unfinished_restore(settings.home_path):
            raise NotEmptyError("an earlier restore was interrupted: use --force to repeat it")
        require_empty(settings)
    require_unused(settings)
    if manifest.bucket:
        batches.require_room(settings, manifest.bucket)
    elif settings.landing_url:
        raise BatchesElsewhereError(
            "the backup has its batches in folders: unset TRACKER_LANDING_URL to restore it"
        )
    if settings.database_url:
        with store_to_restore(settings) as store:
            require_room(store, force=force)


def _restore(
    settings: Settings, source: Path, manifest: Manifest, on_progress: OnProgress
) -> Restored:
    home, at = settings.home_path, datetime.now(UTC)
    before = unfinished.unfinished_restore(home)
    aside = Path(before.aside) if before else aside_folder(settings, at)
    unfinished.note_unfinished(home, unfinished.UnfinishedRestore(str(source), str(aside)))
    moved = [str(path) for path in set_aside(settings, aside)]
    _copy(settings, source, manifest, ByteCount(on_progress, "restore files", manifest.size))
    if manifest.bucket:
        _bring(settings, manifest.bucket, on_progress)
    publication = _publish(settings.publications_path)
    with store_to_restore(settings) as store:
        if schema := set_tables_aside(store, at):
            moved.append(f"schema {schema}")
        on_progress("load database", 0, None)
        restore_dump(store, source / DUMP)
        migrate(store)
        with store.write_session() as session:
            forget_all(session)
        with store.read_session() as session:
            encryption = Encryption(existing_key(settings) or b"")
            unreadable = list(unreadable_kinds(session, encryption))
    unfinished.note_finished(home)
    return Restored(manifest, publication, moved, unreadable)


def _copy(settings: Settings, source: Path, manifest: Manifest, on_bytes: ByteCount) -> None:
    """Copy everything except the dump to its place, and verify it again."""
    targets = [_target(settings, name) for name in manifest.folders]
    for target in targets:
        folders.make_way(target)
    for name in manifest.files.keys() - {DUMP}:
        copied = copy_file(source / name, _target(settings, name), on_bytes)
        require_same(name, copied, manifest.files[name])
    for target in targets:
        sync(target)


def _bring(settings: Settings, record: BucketRecord, on_progress: OnProgress) -> None:
    size = sum(entry.size for entry in record.objects.values())
    on_bytes = ByteCount(on_progress, "copy objects", size)
    for brought in batches.bring_objects(settings, record):
        on_bytes(brought)


def _target(settings: Settings, name: str) -> Path:
    """Return the target path of a file or folder of the backup."""
    part, _, rest = name.partition("/")
    if part == WAREHOUSE:
        file = settings.warehouse_path
        return file.with_name(file.name + name.removeprefix(DATABASE)) if rest else file.parent
    folders_of = {
        LANDING: settings.landing_path,
        PUBLICATION: settings.publications_path,
        HISTORY: history_folder(settings.warehouse_path),
    }
    return folders_of[part] / rest if part in folders_of else settings.home_path / name


def _publish(publications: Path) -> Publication | None:
    """Publish the restored publication again, with the paths of this machine.

    The restored one stays for a day: webhooks tell how the next one differs from it.
    """
    for folder in whole_entries(publications):
        return publish_again(publications, folder, for_another_database=True)
    return None
