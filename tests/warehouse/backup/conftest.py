"""A service with all kinds of data, its backup, and an empty place for a restore."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fixtures.operational import FreshDatabase, settings_for
from tests.warehouse.backup.emptiness import emptied
from tests.warehouse.backup.service import Service, fill
from warehouse.backup.create import create_backup
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.settings import Settings


@pytest.fixture(scope="session")
def service(
    databases: FreshDatabase, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """A service that tests only read."""
    home = tmp_path_factory.mktemp("service") / "home"
    with databases() as url, operational_store(settings_for(home, url)) as store:
        yield fill(settings_for(home, url), store)


@pytest.fixture(scope="session")
def shared_backup(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("backups") / "kept"
    create_backup(service.settings, service.store, folder)
    return folder


@pytest.fixture
def backup(shared_backup: Path, tmp_path: Path) -> Path:
    """The folder of a backup that the test may change."""
    return shutil.copytree(shared_backup, tmp_path / "backups" / "one")


@pytest.fixture
def changing_service(store: OperationalStore, settings: Settings) -> Service:
    """A service that the test may change."""
    return fill(settings, store)


@pytest.fixture
def settings(tmp_path: Path, database_url: str) -> Settings:
    return settings_for(tmp_path / "home", database_url)


@pytest.fixture
def elsewhere(databases: FreshDatabase, tmp_path: Path) -> Iterator[Settings]:
    """Settings of a missing data folder and an empty database."""
    with databases() as url:
        emptied(url)
        yield settings_for(tmp_path / "elsewhere", url)
