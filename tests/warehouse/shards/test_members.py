"""The members of each shard: without shards, during moves and in the past."""

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import OperationalError

from tests.warehouse.shards.world import NAMES, Map
from warehouse.operational.models import Shard
from warehouse.operational.store import OperationalStore
from warehouse.shards.assigning import add_shard, remove_shard
from warehouse.shards.members import UnknownShardError


@pytest.fixture
def shard_map(store: OperationalStore) -> Map:
    return Map(store)


ALL = set(NAMES)


def test_without_shards_all_organizations_are_computed(shard_map: Map) -> None:
    assert shard_map.members(None) is None
    assert shard_map.members("main") is None
    shard_map.have("main", "a")
    assert shard_map.members(None) is None
    assert shard_map.of("a") == set()
    with pytest.raises(UnknownShardError, match="no shard b: add it with `tracker shard add b`"):
        shard_map.members("b")


def test_both_compute_a_moving_organization_until_readers_switch(shard_map: Map) -> None:
    shard_map.have("main", "a", "b")
    shard_map.assign(shard_map.huge, "a", served_by="main")
    assert (shard_map.of(None), shard_map.of("a")) == (ALL, {"huge"})
    assert shard_map.members(None) is None
    shard_map.assign(shard_map.huge, "a")
    assert (shard_map.of(None), shard_map.of("a")) == ({"small", "other"}, {"huge"})
    shard_map.assign(shard_map.huge, "b", served_by="a")
    assert (shard_map.of("a"), shard_map.of("b")) == ({"huge"},) * 2
    assert shard_map.of(None) == {"small", "other"}


def test_a_digest_depends_only_on_the_members(shard_map: Map) -> None:
    shard_map.have("main", "a", "b")
    shard_map.assign(shard_map.huge, "a")
    before, rest = shard_map.members("a"), shard_map.members(None)
    shard_map.assign(shard_map.small, "b", served_by="main")
    assert before
    assert rest
    assert shard_map.members("a") == before
    assert shard_map.members(None) == rest
    shard_map.assign(shard_map.other, "b")
    all_of_them = (before, rest, *map(shard_map.members, ("b", None)))
    assert len({members.digest for members in all_of_them if members}) == 4


def test_the_last_shard_waits_with_its_removal_for_one_that_is_being_added(
    store: OperationalStore,
) -> None:
    """It would also remove `main`, which the new shard needs."""
    with store.write_session() as session:
        add_shard(session, "a")
    with store.write_session() as session:
        add_shard(session, "b")
        with store.write_session() as other:
            other.execute(text("set local lock_timeout = '10ms'"))
            with pytest.raises(OperationalError, match="lock timeout"):
                remove_shard(other, "a")
            other.rollback()
    with store.write_session() as session:
        remove_shard(session, "a")
        assert set(session.scalars(select(Shard.name))) == {"main", "b"}
