"""The simulated platforms over HTTP, and settings that use them."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from socket import AF_UNIX, SOCK_DGRAM, socket
from tempfile import TemporaryDirectory

import pytest
from dagster import DagsterInstance

from orchestration.running.postgresql import open_instance
from scrapers.simulator import RunningSimulator, World, running_simulator
from tests.factories.tracking import add_account
from tests.fixtures.operational import settings_for
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings

FIRST_DAY = datetime(2026, 9, 1, 6, tzinfo=UTC)


@pytest.fixture(scope="session")
def simulator() -> Iterator[RunningSimulator]:
    """A small world; its first five creators are plain ones."""
    with running_simulator(World(seed=1, creators=20)) as running:
        yield running


@pytest.fixture
def history(settings: Settings) -> Iterator[DagsterInstance]:
    """Dagster's history in PostgreSQL."""
    with open_instance(settings) as opened:
        yield opened


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[DagsterInstance]:
    """A history in Dagster's own storage, for contexts of schedules, which open it again."""
    folder = tmp_path / "history"
    folder.mkdir()
    with DagsterInstance.local_temp(str(folder)) as opened:
        yield opened


@pytest.fixture
def scraping(tmp_path: Path, database_url: str, simulator: RunningSimulator) -> Settings:
    """Settings that scrape the simulator at full speed, on the first day."""
    simulator.set_now(FIRST_DAY)
    faced = {
        "tiktok_base_url": simulator.tiktok_url,
        "instagram_base_url": simulator.instagram_url,
        "scrape_requests_per_second": 10_000.0,
        "comment_requests_per_second": 10_000.0,
    }
    return settings_for(tmp_path, database_url).model_copy(update=faced).at(FIRST_DAY)


@pytest.fixture
def two_tracked(
    store: OperationalStore, organization: NewOrganization, simulator: RunningSimulator
) -> list[str]:
    """Handles of two plain creators, tracked on both platforms for a week."""
    handles = simulator.world.handles("tiktok")[:2]
    since = FIRST_DAY.date().replace(month=8, day=25)
    for handle in handles:
        for platform in ("tiktok", "instagram"):
            add_account(store, organization, handle, platform=platform, tracking_start_date=since)
    return handles


@pytest.fixture
def systemd() -> Iterator[socket]:
    """The socket that systemd names in NOTIFY_SOCKET; its path must fit in 107 bytes."""
    with TemporaryDirectory() as folder, socket(AF_UNIX, SOCK_DGRAM) as listening:
        listening.bind(f"{folder}/notify")
        listening.settimeout(120)
        yield listening
