"""A backup or restore that is killed (SIGKILL) at a named step never passes as complete."""

from pathlib import Path

import psycopg
import pytest

from tests.factories.landing import profile
from tests.fixtures.forked import assert_kills_itself
from tests.warehouse.backup.emptiness import url_of
from tests.warehouse.backup.killed_process import work
from tests.warehouse.backup.service import Service, everything, files_below, operational_rows
from warehouse.backup.create import create_backup
from warehouse.backup.errors import NotEmptyError
from warehouse.backup.restore import restore_backup
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.errors import HalfRestoredError
from warehouse.operational.store import operational_store
from warehouse.settings import Settings


@pytest.mark.slow
@pytest.mark.parametrize(
    "step",
    [
        "warehouse.backup.dump:run_program after",
        "warehouse.backup.create:_copy_warehouse after",
        "warehouse.backup.create:write_manifest after",
    ],
)
def test_a_killed_backup_leaves_none_and_the_next_one_is_complete(
    service: Service, elsewhere: Settings, tmp_path: Path, step: str
) -> None:
    target = tmp_path / "backups" / "one"

    assert_kills_itself(work, step, "backup", target, service.settings)

    assert not target.exists()
    create_backup(service.settings, service.store, target)
    assert [path.name for path in target.parent.iterdir()] == ["one"]
    restore_backup(elsewhere, target)


def test_the_next_backup_removes_a_killed_ones_leftovers(service: Service, tmp_path: Path) -> None:
    backups = tmp_path / "backups"
    assert_kills_itself(
        work,
        "warehouse.backup.dump:run_program after",
        "backup",
        backups / "monday",
        service.settings,
    )
    (backups / "photos.unfinished").mkdir()  # belongs to another program
    create_backup(service.settings, service.store, backups / "tuesday")
    assert {path.name for path in backups.iterdir()} == {"tuesday", "photos.unfinished"}
    (backups / "tuesday").rename(backups / "tuesday.unfinished")  # as if killed before the rename
    create_backup(service.settings, service.store, backups / "wednesday")
    assert {path.name for path in backups.iterdir()} == {"wednesday", "photos.unfinished"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "step",
    [
        "warehouse.landing.folders:move after",
        "warehouse.backup.restore:_copy after",
        "warehouse.backup.restore:restore_dump before",
        "warehouse.backup.restore:migrate after",
    ],
)
def test_a_killed_restore_is_unusable_and_can_be_repeated(
    backup: Path, elsewhere: Settings, step: str
) -> None:
    restore_backup(elsewhere, backup)
    expected = everything(elsewhere, url_of(elsewhere))
    LandingWriter(open_landing(elsewhere)).land(profiles=[profile("later")])
    old_files, old_rows = files_below(elsewhere.home_path), operational_rows(url_of(elsewhere))
    del old_files["warehouse.lock"]

    assert_kills_itself(work, step, "restore", backup, elsewhere)

    with pytest.raises(HalfRestoredError), operational_store(elsewhere):
        pass
    with pytest.raises(NotEmptyError, match="interrupted"):
        restore_backup(elsewhere, backup)
    restore_backup(elsewhere, backup, force=True)
    assert everything(elsewhere, url_of(elsewhere)) == expected
    [aside] = elsewhere.home_path.glob("before-restore-*")
    assert files_below(aside) == old_files
    assert old_rows in [operational_rows(url_of(elsewhere), name) for name in schemas(elsewhere)]


def schemas(settings: Settings) -> list[str]:
    with psycopg.connect(url_of(settings)) as connection:
        rows = connection.execute(
            "select nspname from pg_namespace where nspname like 'before_restore_%'"
        ).fetchall()
    return [name for (name,) in rows]
