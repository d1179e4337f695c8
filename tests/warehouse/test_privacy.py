"""Files are closed to other users, except to the readers' group."""

import grp
import os
import stat
from pathlib import Path

import duckdb
import pytest
from pydantic import ValidationError

from tests.fixtures.operational import settings_for
from warehouse.ids import uuid7
from warehouse.landing.folders import sync
from warehouse.privacy import close_to_others, opened_too_far
from warehouse.publication import layout
from warehouse.publication.layout import CURRENT, DATABASE, MONTHS, new_publication
from warehouse.settings import Settings

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to another group")
GROUP = next(group for group in grp.getgrall() if group.gr_gid != os.getegid())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An old installation, created with the usual umask."""
    home = tmp_path / "home"
    for folder in ("landing/batch", "files", "logs", f"publications/old/{MONTHS}", "postgres/data"):
        (home / folder).mkdir(parents=True)
    files = ("warehouse.duckdb", "landing/batch/part.parquet", "files/receipt", "logs/api.log")
    for file in (*files, f"publications/old/{DATABASE}", "postgres/data/PG_VERSION"):
        (home / file).touch()
    (home / "publications" / CURRENT).symlink_to(f"old/{DATABASE}")
    for path in (home, *home.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return home


def inside(home: Path) -> list[Path]:
    """Return all paths except PostgreSQL's folder, which manages itself."""
    return [path for path in home.rglob("*") if not path.is_relative_to(home / "postgres")]


def test_files_open_to_others_are_closed_once(home: Path) -> None:
    settings = settings_for(home)
    assert close_to_others(settings) == []
    assert list(opened_too_far(settings)) == []
    for path in inside(home):
        assert mode(path) == (0o700 if path.is_dir() else 0o600), path
    assert mode(home) in (0o700, 0o711)  # PostgreSQL's user must be able to enter
    assert mode(home) == (0o711 if os.geteuid() == 0 else 0o700)
    assert mode(home / "postgres" / "data") == 0o755


def test_an_external_warehouse_is_closed_and_its_folder_unchanged(
    home: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere.duckdb"
    elsewhere.touch(mode=0o644)
    elsewhere.chmod(0o644)
    history = tmp_path / "elsewhere.duckdb.history"
    history.mkdir()
    history.chmod(0o755)
    (history / "one.parquet").touch()
    (history / "one.parquet").chmod(0o644)
    before = mode(tmp_path)
    settings = settings_for(home).model_copy(update={"warehouse_url": f"duckdb:///{elsewhere}"})
    close_to_others(settings)
    assert (mode(elsewhere), mode(tmp_path)) == (0o600, before)
    assert (mode(history), mode(history / "one.parquet")) == (0o700, 0o600)


def test_a_links_target_is_unchanged(home: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    outside.chmod(0o755)
    (home / "files" / "link").symlink_to(outside)
    close_to_others(settings_for(home))
    assert mode(outside) == 0o755


def readers_of(home: Path) -> Settings:
    return settings_for(home).model_copy(update={"readers_group": GROUP.gr_name})


@as_root
class TestReaders:
    def test_a_group_reads_publications_and_nothing_else(self, home: Path) -> None:
        settings = readers_of(home)
        assert close_to_others(settings) == []
        for path in inside(home):
            is_theirs = path.is_relative_to(home / "publications")
            assert bool(mode(path) & 0o040) == is_theirs, path
            assert mode(path) & 0o027 == 0
            assert not is_theirs or path.stat().st_gid == GROUP.gr_gid
        assert mode(home) & 0o070 == 0o010

    def test_it_reads_later_publications_too(self, home: Path) -> None:
        settings = readers_of(home)
        close_to_others(settings)
        publication = uuid7()
        with new_publication(settings.publications_path, publication) as building:
            duckdb.connect(building / DATABASE).close()
            (building / MONTHS / "fact.parquet").touch()
            for path in (building, *building.rglob("*")):
                path.chmod(0o700 if path.is_dir() else 0o600)
        assert list(opened_too_far(settings)) == []
        assert mode(settings.publications_path / CURRENT) == 0o440

    def test_without_the_setting_they_are_closed_again(self, home: Path) -> None:
        close_to_others(readers_of(home))
        close_to_others(settings_for(home))
        assert mode(home / "publications" / CURRENT) == 0o600


def test_a_file_that_publications_share_stays_readable_while_another_is_made(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise readers of the current publication would get errors meanwhile."""
    publications = home / "publications"
    publications.chmod(0o750)
    shared, modes = publications / "old" / MONTHS / "fact.parquet", set[int]()
    shared.touch()
    shared.chmod(0o440)

    def sync_and_look(path: Path) -> None:
        modes.add(mode(shared))
        sync(path)

    monkeypatch.setattr(layout, "sync", sync_and_look)
    with new_publication(publications, uuid7()) as building:
        (building / DATABASE).touch(mode=0o600)
        os.link(shared, building / MONTHS / shared.name)
    assert modes == {0o440}
    assert mode(publications / CURRENT) == 0o440


def test_an_unknown_group_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACKER_READERS_GROUP", "nobody-has-this")
    with pytest.raises(ValidationError, match="no group with this name"):
        Settings(_env_file=None)
