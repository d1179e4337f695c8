"""A node knows which publications it lacks and which of them were requested."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest
from sqlalchemy import update

from tests.factories.damaged import publish_damaged
from tests.factories.machine_clock import StoppedClock
from tests.warehouse.shards.world import Map, published, read
from warehouse.operational.models import ShardAssignment
from warehouse.operational.store import OperationalStore
from warehouse.publication.errors import NoPublication, NotHereYetError
from warehouse.settings import Settings
from warehouse.shards.publications import ShardPublications
from warehouse.shards.whereabouts import NOTED_EVERY_SECONDS, is_requested, note_served_by


@pytest.fixture
def node(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "node", node_shards="requested")


@pytest.fixture
def passing() -> StoppedClock:
    return StoppedClock()


@pytest.fixture
def publications(node: Settings, passing: StoppedClock) -> Iterator[ShardPublications]:
    with closing(ShardPublications(node, passing)) as publications:
        yield publications


@pytest.fixture
def shard_map(store: OperationalStore) -> Map:
    made = Map(store)
    made.have("main", "east", "west")
    return made


def note(node: Settings, store: OperationalStore, *published: str) -> None:
    with store.read_session() as session:
        note_served_by(node, session, published or ("main", "east"))


def test_without_shards_nothing_is_recorded(
    node: Settings, store: OperationalStore, publications: ShardPublications, shard_map: Map
) -> None:
    note(node, store)
    main = published(node, "main", shard_map.small)
    assert read(publications, shard_map.small) == main
    assert not node.shards_path.exists()


@pytest.mark.slow
def test_a_missing_publication_is_not_reported_as_no_data(
    node: Settings, store: OperationalStore, publications: ShardPublications, shard_map: Map
) -> None:
    shard_map.assign(shard_map.small, "east")
    main = published(node, "main", shard_map.other)
    assert read(publications, shard_map.small) == main, "before the first record"
    note(node, store)
    with pytest.raises(NotHereYetError, match="not fetched yet: the publication of shard east"):
        read(publications, shard_map.small)
    assert read(publications, shard_map.other) == read(publications, None) == main
    east = published(node, "east", shard_map.small)
    assert read(publications, shard_map.small) == east


@pytest.mark.slow
def test_a_moved_organization_is_read_from_the_old_shard_until_the_new_one(
    node: Settings, store: OperationalStore, publications: ShardPublications, shard_map: Map
) -> None:
    shard_map.assign(shard_map.small, "east", served_by="main")
    note(node, store)
    main = published(node, "main", shard_map.small)
    assert read(publications, shard_map.small) == main
    with store.write_session() as session:
        session.execute(update(ShardAssignment).values(served_by="east"))
    note(node, store)
    assert read(publications, shard_map.small) == main
    east = published(node, "east", shard_map.small, hour=1)
    assert read(publications, shard_map.small) == east


def test_main_has_to_be_here_too(node: Settings, store: OperationalStore, shard_map: Map) -> None:
    """A new node may first have another shard's publication. A builder may have none of main."""
    node = node.model_copy(update={"landing_url": "s3://bucket"})
    shard_map.assign(shard_map.small, "east")
    note(node, store)
    east = published(node, "east", shard_map.small)
    with closing(ShardPublications(node)) as publications:
        with pytest.raises(NotHereYetError, match="of shard main"):
            read(publications, shard_map.other)
        assert read(publications, shard_map.small) == east
        node.warehouse_path.touch()
        with pytest.raises(NoPublication):
            read(publications, shard_map.other)


def test_a_new_fleet_waits_for_no_missing_publication(
    node: Settings, store: OperationalStore, shard_map: Map
) -> None:
    node = node.model_copy(update={"landing_url": "s3://bucket"})
    shard_map.assign(shard_map.small, "east", served_by="main")
    note(node, store, "east")
    with closing(ShardPublications(node)) as publications:
        for whose in (shard_map.small, shard_map.other):
            with pytest.raises(NoPublication):
                read(publications, whose)
        note(node, store, "east", "main")
        with pytest.raises(NotHereYetError, match="of shard main"):
            read(publications, shard_map.other)


def test_an_unreadable_one_is_reported_as_damaged(
    node: Settings, store: OperationalStore, publications: ShardPublications, shard_map: Map
) -> None:
    shard_map.assign(shard_map.small, "east")
    note(node, store)
    published(node, "main", shard_map.other)
    publish_damaged(node.of_shard("east"))
    with pytest.raises(duckdb.Error):
        read(publications, shard_map.small)


@pytest.mark.slow
def test_a_shard_is_requested_until_a_day_after_the_last_request(
    node: Settings,
    store: OperationalStore,
    publications: ShardPublications,
    shard_map: Map,
    passing: StoppedClock,
) -> None:
    shard_map.assign(shard_map.small, "east")
    note(node, store)
    published(node, "main", shard_map.other)
    now = datetime.now(UTC)
    read(publications, shard_map.other)
    assert is_requested(node, None, now)
    assert not is_requested(node, "east", now)
    assert is_requested(node.model_copy(update={"node_shards": "all"}), "east", now)
    with pytest.raises(NotHereYetError):
        read(publications, shard_map.small)
    marker = node.of_shard("east").shard_path / "requested"
    first = marker.stat().st_mtime
    assert is_requested(node, "east", now)
    assert not is_requested(node, "west", now)
    assert not is_requested(node, "east", now + timedelta(days=1, minutes=1))
    marker.unlink()
    published(node, "east", shard_map.small)
    read(publications, shard_map.small)
    assert not marker.exists(), "recorded once a minute"
    passing.now += NOTED_EVERY_SECONDS
    read(publications, shard_map.small)
    assert marker.stat().st_mtime >= first
