"""A history of whole pipeline runs, created once and copied for each test.

All tests share the database. None may register a batch in it: the archives of the others would lack
that batch, and their rebuilds would fail.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.factories.history import live_through, track
from tests.factories.tracking import add_organization
from tests.fixtures.operational import FreshDatabase, settings_for
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.raw.rebuild import require_batches
from warehouse.settings import Settings


@pytest.fixture(scope="session")
def lived_once(
    databases: FreshDatabase, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Settings]:
    with databases() as url:
        settings = settings_for(tmp_path_factory.mktemp("lived") / "home", url)
        with operational_store(settings) as store:
            track(store, add_organization(store, "Acme"))
            yield live_through(settings, 3)


@pytest.fixture
def lived(lived_once: Settings, tmp_path: Path) -> Iterator[Settings]:
    """Settings of the third day, with data of the test's own."""
    home = tmp_path / "home"
    shutil.copytree(lived_once.home, home, symlinks=True)
    lived = lived_once.model_copy(update={"home": home})
    yield lived
    with operational_store(lived_once) as store:
        require_batches(store, lived_once)


@pytest.fixture
def lived_store(lived: Settings) -> Iterator[OperationalStore]:
    with operational_store(lived) as opened:
        yield opened
