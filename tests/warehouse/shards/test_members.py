"""Whom each shard computes, while nothing is sharded, while some are moved, and when they were."""

import pytest

from tests.warehouse.shards.world import NAMES, Map
from warehouse.operational.store import OperationalStore
from warehouse.shards.members import UnknownShardError


@pytest.fixture
def shard_map(store: OperationalStore) -> Map:
    return Map(store)


ALL = set(NAMES)


def test_where_nothing_is_sharded_everybody_is_computed(shard_map: Map) -> None:
    assert shard_map.members(None) is None
    assert shard_map.members("main") is None
    shard_map.have("main", "a")
    assert shard_map.members(None) is None
    assert shard_map.of("a") == set()
    with pytest.raises(UnknownShardError, match="no shard b: add it with `tracker shard add b`"):
        shard_map.members("b")


def test_both_compute_who_is_moved_until_readers_ask_the_new_one(shard_map: Map) -> None:
    shard_map.have("main", "a", "b")
    shard_map.assign(shard_map.huge, "a", served_by="main")
    assert (shard_map.of(None), shard_map.of("a")) == (ALL, {"huge 1", "huge 2"})
    assert shard_map.members(None) is None
    shard_map.assign(shard_map.huge, "a")
    assert (shard_map.of(None), shard_map.of("a")) == ({"small", "other"}, {"huge 1", "huge 2"})
    shard_map.assign(shard_map.huge, "b", served_by="a")
    assert (shard_map.of("a"), shard_map.of("b")) == ({"huge 1", "huge 2"},) * 2
    assert shard_map.of(None) == {"small", "other"}


def test_a_project_of_its_own_shard_leaves_that_of_its_organization(shard_map: Map) -> None:
    shard_map.have("main", "a", "b")
    shard_map.assign(shard_map.huge, "b", project="huge 2")
    assert (shard_map.of(None), shard_map.of("b")) == ({"huge 1", "small", "other"}, {"huge 2"})
    shard_map.assign(shard_map.huge, "a")
    assert shard_map.of(None) == {"small", "other"}
    assert (shard_map.of("a"), shard_map.of("b")) == ({"huge 1"}, {"huge 2"})
    shard_map.assign(shard_map.huge, "main", served_by="b", project="huge 2")
    assert shard_map.of(None) == {"huge 2", "small", "other"}
    assert (shard_map.of("a"), shard_map.of("b")) == ({"huge 1"}, {"huge 2"})


def test_a_digest_tells_members_and_nothing_else(shard_map: Map) -> None:
    shard_map.have("main", "a", "b")
    shard_map.assign(shard_map.huge, "a")
    before, rest = shard_map.members("a"), shard_map.members(None)
    shard_map.assign(shard_map.huge, "a", project="huge 2")  # where it was by its organization
    shard_map.assign(shard_map.small, "b", served_by="main")
    assert before
    assert rest
    assert shard_map.members("a") == before
    assert shard_map.members(None) == rest
    shard_map.assign(shard_map.huge, "b", project="huge 2")
    digests = {
        members.digest for members in (before, rest, *map(shard_map.members, ("a", "b"))) if members
    }
    assert len(digests) == 4
