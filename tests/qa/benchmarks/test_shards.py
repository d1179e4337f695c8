"""What workers of the benchmark have: each its part of the history, together all of it."""

from collections.abc import Iterator, Mapping

import pytest

from tests.fixtures.operational import FreshDatabase
from tests.qa.benchmarks.child import Watch
from tests.qa.benchmarks.shards import make_archive, read_archive
from tests.qa.benchmarks.world import Size, World, make_world
from warehouse.catalogue.raw import REGISTERED
from warehouse.connection import open_warehouse
from warehouse.settings import Settings

ORGANIZATIONS = 5
TENANTS = ("organizations", "projects")
OWNED = ("operational.projects", "operational.videos", "operational.campaign_items")
TABLES = (*OWNED, *(table.relation for table in REGISTERED))


@pytest.fixture(scope="module")
def world(databases: FreshDatabase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Two days of five organizations with a project, two creators and four posts each."""
    home, tenants = tmp_path_factory.mktemp("shards"), dict.fromkeys(TENANTS, ORGANIZATIONS)
    with databases() as url, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRACKER_DATABASE_URL", url)
        made = make_world(home / "home", Size(20, 10, 2), tenants=tenants)
        make_archive(made)
        yield made


def counted(settings: Settings) -> Mapping[str, int]:
    with open_warehouse(settings, read_only=True) as connection:
        return {table: len(connection.table(table)) for table in TABLES}


def part_of(world: World, place: int, number: int) -> Mapping[str, int]:
    name, watch = f"{place}-of-{number}", Watch()
    readings = read_archive(watch, world.home, name, place, number)
    counts = counted(world.settings.of_shard(name))
    assert readings == counts["raw.video_snapshots"]
    assert watch.cpu_seconds > 0
    return counts


@pytest.mark.slow
def test_together_they_have_the_history_once(world: World) -> None:
    everything = counted(world.settings)
    assert everything["raw.video_snapshots"] >= 20 * 2 * 4
    assert part_of(world, 0, 1) == everything
    first, second = (part_of(world, place, 2) for place in range(2))
    assert {table: first[table] + second[table] for table in TABLES} == everything
    assert (first["operational.projects"], second["operational.projects"]) == (3, 2)
    assert (first["operational.videos"], second["operational.videos"]) == (12, 8)
