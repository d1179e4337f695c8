"""A restore returns what was backed up, wherever it is restored to."""

import json
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from tests.factories.published import publish_build
from tests.fixtures.operational import settings_for
from tests.warehouse.backup.emptiness import url_of
from tests.warehouse.backup.service import AS_OF, Service, everything, files_below
from warehouse.backup.create import create_backup
from warehouse.backup.errors import BackupExistsError, BatchesMissingError
from warehouse.backup.restore import restore_backup
from warehouse.connection import open_warehouse
from warehouse.landing.archive import segments
from warehouse.landing.opening import open_landing
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.publication.current import CurrentPublication
from warehouse.raw import history
from warehouse.raw.ingest import ingest_registered
from warehouse.registration.register import register_landed
from warehouse.settings import Settings


@contextmanager
def gone(folder: Path) -> Iterator[None]:
    """Rename a folder for the block, so that nothing can depend on it."""
    moved = folder.rename(folder.with_name("gone"))
    yield
    moved.rename(folder)


@pytest.mark.slow
def test_a_restored_service_is_the_same_table_by_table(
    service: Service, backup: Path, elsewhere: Settings
) -> None:
    before = everything(service.settings, url_of(service.settings))

    restored = restore_backup(elsewhere, backup)

    with gone(service.settings.home_path):
        assert everything(elsewhere, url_of(elsewhere)) == before
    assert before["publication"]["marts.video_deltas"] != []
    assert before["files"][0] == b"%PDF-1.7"
    assert restored.aside == []
    assert restored.publication.as_of.isoformat() == "2026-05-20T12:00:00+00:00"


@pytest.mark.slow
def test_any_decision_may_be_newer_than_a_restored_publication(
    service: Service, backup: Path, elsewhere: Settings
) -> None:
    restore_backup(elsewhere, backup)

    reach = "select decided_up_to from marts.run"
    for settings, known in ((service.settings, 4711), (elsewhere, 0)):
        with CurrentPublication(settings.publications_path).cursor() as cursor:
            assert cursor.execute(reach).fetchall() == [(known,)]


@pytest.mark.slow
def test_a_restored_service_continues_where_the_other_stopped(
    backup: Path, elsewhere: Settings
) -> None:
    restore_backup(elsewhere, backup)

    with operational_store(elsewhere) as store:
        results = register_landed(store, elsewhere)
        with open_warehouse(elsewhere) as connection:
            ingest_registered(store, elsewhere, connection)
            batches = connection.sql("select batch_seq, video_snapshots from raw.batches")
            assert sorted(batches.fetchall()) == [(1, 5), (2, 5), (3, 5)]
    assert [result.was_registered for result in results] == [False]


@pytest.mark.slow
def test_a_killed_writers_warehouse_is_restored_with_its_wal(
    changing_service: Service, tmp_path: Path, elsewhere: Settings
) -> None:
    service = changing_service
    warehouse = service.settings.warehouse_path
    with open_warehouse(service.settings) as connection:
        connection.execute("set checkpoint_threshold = '1 GB'")
        connection.execute("pragma disable_checkpoint_on_shutdown")
        connection.execute("insert into raw.batches from raw.batches")
    assert warehouse.with_name("warehouse.duckdb.wal").exists()
    create_backup(service.settings, service.store, tmp_path / "backup")
    moved = elsewhere.model_copy(update={"warehouse_url": str(tmp_path / "disk2" / "w.db")})

    restore_backup(moved, tmp_path / "backup")

    with open_warehouse(moved, read_only=True) as connection:
        assert connection.sql("select count(*) from raw.batches").fetchall() == [(2,)]


@pytest.mark.slow
def test_readings_in_files_beside_the_warehouse_are_restored_with_it(
    changing_service: Service, tmp_path: Path, elsewhere: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "FEW_ROWS", 1)
    settings, every_row = changing_service.settings, "from raw.all_video_snapshots order by all"
    with open_warehouse(settings) as connection:
        publish_build(connection, as_of=AS_OF + timedelta(days=99), to_batch_seq=1)
        history.move_to_history(connection, 1)
        assert connection.sql("select count(*) from raw.video_snapshots").fetchall() == [(0,)]
        before = connection.sql(every_row).fetchall()
    create_backup(settings, changing_service.store, tmp_path / "backup")
    moved = elsewhere.model_copy(update={"warehouse_url": str(tmp_path / "disk2" / "w.db")})

    for force in (False, True):
        restored = restore_backup(moved, tmp_path / "backup", force=force)
        with gone(settings.home_path), open_warehouse(moved) as connection:
            assert connection.sql(every_row).fetchall() == before
        assert any("w.db.history" in name for name in restored.aside) == force
    assert len(before) == 5


@pytest.mark.slow
def test_a_backup_without_a_registered_batch_is_refused(
    changing_service: Service, tmp_path: Path
) -> None:
    """An uncommitted attempt to register it does not replace it."""
    service = changing_service
    lost = segments(service.settings.landing_path)[0]
    shutil.rmtree(lost.path)
    open_landing(service.settings).register(lost.batches[0].batch_id, lambda folder: None)
    with pytest.raises(BatchesMissingError, match="1 registered batches are missing"):
        create_backup(service.settings, service.store, tmp_path / "backup")
    assert [*tmp_path.glob("backup*")] == []


def test_an_empty_installation_can_be_backed_up_too(
    store: OperationalStore, settings: Settings, tmp_path: Path, elsewhere: Settings
) -> None:
    create_backup(settings, store, tmp_path / "backup")

    assert restore_backup(elsewhere, tmp_path / "backup").publication is None


@pytest.mark.slow
def test_a_backup_can_be_restored_into_an_embedded_server(
    service: Service, backup: Path, open_folder: Path
) -> None:
    settings = settings_for(open_folder / "home")

    restore_backup(settings, backup)

    with operational_store(settings) as store:
        contents = everything(settings, store.dsn)
    assert contents == everything(service.settings, url_of(service.settings))


def test_a_backup_never_overwrites_anything(service: Service, backup: Path) -> None:
    before = files_below(backup)

    with pytest.raises(BackupExistsError, match="already exists"):
        create_backup(service.settings, service.store, backup)

    assert files_below(backup) == before
    assert [path.name for path in backup.parent.iterdir()] == [backup.name]


def test_only_its_owner_may_read_a_backup(backup: Path) -> None:
    assert stat.S_IMODE(backup.stat().st_mode) == 0o700


def test_the_manifest_names_every_file_with_its_size(backup: Path) -> None:
    manifest = json.loads((backup / "manifest.json").read_text())
    sizes = {name: len(content) for name, content in files_below(backup).items()}
    del sizes["manifest.json"]

    assert {name: record["size"] for name, record in manifest["files"].items()} == sizes
