"""Watches each durable operation of the product: syncs, names and commits."""

import os
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

import pytest
from sqlalchemy import select

from orchestration.scraping.spelling import PlatformSpelling
from tests.qa.faults.durability import Durability, durable
from tests.qa.faults.operations import watched
from tests.qa.faults.passes import compact_without_waiting_for_midnight
from tests.warehouse.backup.conftest import elsewhere, service
from tests.warehouse.backup.service import AS_OF, Service, fill
from warehouse.at_once import at_once
from warehouse.backup.create import create_backup
from warehouse.backup.restore import restore_backup
from warehouse.connection import attach_warehouse, open_warehouse
from warehouse.imports.layouts import COLUMNS, VIDEO_SNAPSHOTS
from warehouse.imports.snapshots import import_snapshots
from warehouse.landing import folders
from warehouse.operational.models import Project
from warehouse.operational.store import OperationalStore
from warehouse.publication.publish import publish
from warehouse.publication.relocate import relocate
from warehouse.publication.retention import RETENTION
from warehouse.raw.ingest import ingest_registered
from warehouse.raw.rebuild import replaced_warehouse
from warehouse.secret_key import secret_key
from warehouse.settings import Settings
from warehouse.storage.opening import open_storage

__all__ = ["elsewhere", "service"]

NEW = b"written just now"


def unsynced(folder: Path) -> None:
    (folder / "new").write_bytes(NEW)
    (folder / "new").rename(folder / "final")
    folders.sync(folder)


def unsynced_name(folder: Path) -> None:
    (folder / "new").write_bytes(NEW)
    folders.sync(folder / "new")
    os.replace(folder / "new", folder / "final")


def written_after_its_sync(folder: Path) -> None:
    (folder / "new").write_bytes(b"first")
    folders.sync(folder / "new")
    (folder / "new").write_bytes(NEW)
    os.link(folder / "new", folder / "final")
    folders.sync(folder)
    (folder / "new").unlink()


def half_a_folder(folder: Path) -> None:
    (folder / ".new").mkdir()
    (folder / ".new" / "one").write_bytes(NEW)
    folders.sync(folder / ".new" / "one")
    (folder / ".new" / "two").write_bytes(NEW)
    folders.sync(folder / ".new")
    (folder / ".new").rename(folder / "final")
    folders.sync(folder)


def folder_in_a_new_folder(folder: Path) -> None:
    (folder / "day").mkdir()
    folders.write_file(folder / "day" / "final", "one")


def removed_too_early(folder: Path) -> None:
    folders.write_file(folder / "old", "old")
    (folder / ".new").write_bytes(NEW)
    folders.sync(folder / ".new")
    (folder / ".new").rename(folder / "final")
    (folder / "old").unlink()
    folders.sync(folder)


def linked_too_early(folder: Path) -> None:
    (folder / ".new").mkdir()
    folders.sync(folder / ".new")
    (folder / ".new").rename(folder / "final")
    (folder / ".link").symlink_to("final")
    (folder / ".link").rename(folder / "link")
    folders.sync(folder)


def linked_to_nothing(folder: Path) -> None:
    (folder / ".link").symlink_to("final")
    (folder / ".link").rename(folder / "link")
    folders.write_file(folder / "final", "one")


def written_in_place(folder: Path) -> None:
    (folder / "final").write_bytes(NEW)
    folders.sync(folder)


def unsynced_by_a_thread_that_ended(folder: Path) -> None:
    thread = Thread(target=unsynced_name, args=(folder,))
    thread.start()
    thread.join()
    folders.remove(folder / "old")
    folders.sync(folder)


@pytest.mark.parametrize(
    "careless",
    [
        unsynced,
        unsynced_name,
        written_after_its_sync,
        half_a_folder,
        folder_in_a_new_folder,
        removed_too_early,
        linked_too_early,
        linked_to_nothing,
        written_in_place,
        unsynced_by_a_thread_that_ended,
    ],
)
def test_the_rule_detects_undurable_writes(
    careless: Callable[[Path], None], tmp_path: Path
) -> None:
    folders.write_file(tmp_path / "old", "old")
    durability = Durability(tmp_path)
    with watched(durability):
        careless(tmp_path)
    durability.end()
    assert durability.breaches != []


def test_durable_writes_pass(tmp_path: Path) -> None:
    with durable(tmp_path):
        folders.write_file(tmp_path / "one", "one")
        folders.write_file(tmp_path / "one", "two")
        with folders.new_folder(tmp_path / "deep" / "er" / "folder") as folder:
            (folder / "one").write_bytes(NEW)
        folders.move(tmp_path / "deep" / "er" / "folder", tmp_path / "another" / "one")
        folders.remove(tmp_path / "another" / "one")
        with folders.new_folder(tmp_path / "last") as folder:
            (folder / "one").write_bytes(NEW)


def test_a_thread_that_removes_does_not_wait_for_another_that_still_writes(tmp_path: Path) -> None:
    folders.write_file(tmp_path / "old", "old")

    def write(is_named: Event, is_removed: Event) -> None:
        (tmp_path / "new").write_bytes(NEW)
        folders.sync(tmp_path / "new")
        (tmp_path / "new").rename(tmp_path / "final")
        is_named.set()
        assert is_removed.wait(60)
        folders.sync(tmp_path)

    def remove(is_named: Event, is_removed: Event) -> None:
        assert is_named.wait(60)
        folders.remove(tmp_path / "old")
        is_removed.set()

    with durable(tmp_path):
        events = Event(), Event()
        list(at_once(lambda work: work(*events), [write, remove]))


def test_results_of_runs_and_imports_are_durable_before_anything_relies_on_them(
    settings: Settings, store: OperationalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Landing, registration, rejection, archive, compaction, publications, retiring."""
    compact_without_waiting_for_midnight(monkeypatch)
    with durable(settings.home_path):
        fill(settings, store)
        import_readings(settings, store)
        with open_warehouse(settings) as warehouse:
            ingest_registered(store, settings, warehouse)
            publish(settings, warehouse, as_of=AS_OF, real_clock=lambda: AS_OF + 2 * RETENTION)
        relocate(settings, real_clock=lambda: AS_OF + 4 * RETENTION)
    archive = settings.landing_path / "archive"
    assert list((archive / "days").iterdir())
    assert not list((archive / "batches").iterdir())
    assert len(list(settings.publications_path.glob("*/months/*"))) > 1
    assert len(list(settings.publications_path.glob("*/publication.duckdb"))) == 2


def test_a_backup_and_its_restored_files_are_durable(
    service: Service, elsewhere: Settings, tmp_path: Path
) -> None:
    backup = tmp_path / "backups" / "first"
    with durable(tmp_path / "backups", elsewhere.home_path):
        create_backup(service.settings, service.store, backup)
        restore_backup(elsewhere, backup)
        restore_backup(elsewhere, backup, force=True)


def test_a_warehouse_that_replaces_another_is_durable(settings: Settings) -> None:
    with open_warehouse(settings) as warehouse:
        warehouse.execute(
            "insert into raw.batches select uuid(), 1, 'scrape', now(), 0, 0, 0, 0, 0"
        )
    with (
        durable(settings.home_path),
        replaced_warehouse(settings) as building,
        attach_warehouse(building) as warehouse,
    ):
        assert warehouse.sql("from raw.batches").fetchall() == []


def test_uploads_and_the_secret_are_durable(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, home=tmp_path / "new" / "home")
    with durable(tmp_path):
        secret_key(settings)
    with durable(tmp_path):
        open_storage(settings).put("orgs/one/two.pdf", NEW)


def import_readings(settings: Settings, store: OperationalStore) -> None:
    with store.read_session() as session:
        project = session.scalars(select(Project.id)).first()
    assert project is not None
    file = settings.home_path.parent / "readings.csv"
    header = ",".join(COLUMNS[VIDEO_SNAPSHOTS])
    file.write_text(f"{header}\ntiktok,1,{AS_OF.isoformat()},3,,,,\n")
    report = import_snapshots(
        store,
        settings,
        file,
        kind=VIDEO_SNAPSHOTS,
        project_id=project,
        spelling=PlatformSpelling(),
        skip_bad=False,
        on_rows=lambda _: None,
        on_wait=pytest.fail,
    )
    assert report.loaded == 1
