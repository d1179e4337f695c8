"""A restore over existing data is refused; with `force` the data moves aside whole."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest

from tests.factories.landing import profile
from tests.warehouse.backup.emptiness import url_of
from tests.warehouse.backup.service import (
    Service,
    everything,
    files_below,
    operational_rows,
)
from warehouse.backup.aside import aside_folder
from warehouse.backup.create import create_backup
from warehouse.backup.errors import BackupInsideError, InUseError, NotEmptyError
from warehouse.backup.restore import restore_backup
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.store import operational_store
from warehouse.settings import Settings


@pytest.mark.slow
def test_a_data_folder_that_is_not_empty_is_refused(
    service: Service, backup: Path, elsewhere: Settings
) -> None:
    before = files_below(service.settings.home_path)
    mixed = elsewhere.model_copy(update={"home": service.settings.home})

    with pytest.raises(NotEmptyError, match="already exists"):
        restore_backup(mixed, backup)

    assert files_below(service.settings.home_path) == before
    assert operational_rows(url_of(elsewhere)) == {}


def test_a_database_that_is_not_empty_is_refused(
    service: Service, backup: Path, elsewhere: Settings
) -> None:
    before = operational_rows(url_of(service.settings))
    mixed = elsewhere.model_copy(update={"database_url": service.settings.database_url})

    with pytest.raises(NotEmptyError, match="the database is not empty"):
        restore_backup(mixed, backup)

    assert operational_rows(url_of(service.settings)) == before
    assert not elsewhere.home_path.exists()


@pytest.mark.slow
def test_with_force_all_old_data_moves_aside(
    service: Service, backup: Path, elsewhere: Settings
) -> None:
    restore_backup(elsewhere, backup)
    expected = everything(elsewhere, url_of(elsewhere))
    LandingWriter(open_landing(elsewhere)).land(profiles=[profile("later")])
    with operational_store(elsewhere) as store, store.engine.begin() as connection:
        connection.exec_driver_sql("update organizations set name = 'Later'")
        connection.exec_driver_sql("create schema dagster; create table dagster.runs ()")
    old_files, old_rows = files_below(elsewhere.home_path), operational_rows(url_of(elsewhere))

    restored = restore_backup(elsewhere, backup, force=True)

    assert everything(elsewhere, url_of(elsewhere)) == expected
    [schema] = [name.removeprefix("schema ") for name in restored.aside if "schema" in name]
    assert operational_rows(url_of(elsewhere), schema) == old_rows
    assert operational_rows(url_of(elsewhere), "dagster") == {}
    assert operational_rows(url_of(elsewhere), f"{schema}_dagster") == {"runs": []}
    [aside] = elsewhere.home_path.glob("before-restore-*")
    assert files_below(aside) == {
        name: content for name, content in old_files.items() if name != "warehouse.lock"
    }


@pytest.mark.slow
def test_a_shards_warehouse_moves_aside_too(backup: Path, elsewhere: Settings) -> None:
    """It has batches that the restored PostgreSQL and archive lack."""
    shard = elsewhere.of_shard("eu").warehouse_path
    shard.parent.mkdir(parents=True)
    shard.write_bytes(b"of another day")

    with pytest.raises(NotEmptyError, match="shards already exists"):
        restore_backup(elsewhere, backup)
    restored = restore_backup(elsewhere, backup, force=True)

    [aside] = elsewhere.home_path.glob("before-restore-*")
    assert str(aside / "shards") in restored.aside
    assert not shard.exists()


@pytest.mark.slow
def test_data_that_moved_aside_is_not_in_the_next_backup(
    service: Service, backup: Path, elsewhere: Settings, tmp_path: Path
) -> None:
    restore_backup(elsewhere, backup)
    restore_backup(elsewhere, backup, force=True)
    with operational_store(elsewhere) as store:
        with store.engine.begin() as connection:
            connection.exec_driver_sql("create schema dagster")
        create_backup(elsewhere, store, tmp_path / "again")

    names = {name.split("/")[0] for name in files_below(tmp_path / "again")}
    assert names == {name.split("/")[0] for name in files_below(backup)}
    dump = (tmp_path / "again" / "postgres.dump").read_bytes()
    assert b"before_restore_" not in dump
    assert b"dagster" not in dump


@pytest.mark.slow
def test_a_database_in_use_is_not_moved_aside(
    service: Service, backup: Path, elsewhere: Settings
) -> None:
    restore_backup(elsewhere, backup)
    before = files_below(elsewhere.home_path)

    with (
        psycopg.connect(url_of(elsewhere)),
        pytest.raises(InUseError, match="1 other connections"),
    ):
        restore_backup(elsewhere, backup, force=True)

    assert files_below(elsewhere.home_path) == before


def test_foreign_tables_are_never_moved(
    service: Service, backup: Path, elsewhere: Settings
) -> None:
    with psycopg.connect(url_of(elsewhere)) as connection:
        connection.execute("create table guests as select 1 as number")

    with pytest.raises(NotEmptyError, match="tables of another program"):
        restore_backup(elsewhere, backup, force=True)

    assert list(operational_rows(url_of(elsewhere))) == ["guests"]
    assert not elsewhere.home_path.exists()


@pytest.mark.slow
def test_a_later_versions_tables_move_aside_for_a_downgrade(
    service: Service, backup: Path, elsewhere: Settings
) -> None:
    restore_backup(elsewhere, backup)
    with psycopg.connect(url_of(elsewhere)) as connection:
        connection.execute("create table novelties as select 1 as number")
        connection.execute("update alembic_version set version_num = '9999'")

    restored = restore_backup(elsewhere, backup, force=True)

    [schema] = [name.removeprefix("schema ") for name in restored.aside if "schema" in name]
    assert operational_rows(url_of(elsewhere), schema)["novelties"]
    assert "novelties" not in operational_rows(url_of(elsewhere))


@pytest.mark.parametrize("folder", ["publications/one", "files/of/today", "landing"])
def test_no_backup_is_written_into_the_services_folders(service: Service, folder: str) -> None:
    target = service.settings.home_path / folder
    before = files_below(service.settings.home_path)
    with pytest.raises(BackupInsideError, match="choose a folder elsewhere"):
        create_backup(service.settings, service.store, target)
    assert files_below(service.settings.home_path) == before


def test_two_restores_in_one_second_move_data_to_two_names(elsewhere: Settings) -> None:
    began = datetime(2026, 3, 1, 12, tzinfo=UTC)
    again = began + timedelta(milliseconds=1)

    assert aside_folder(elsewhere, began) != aside_folder(elsewhere, again)
