"""Whom each shard computes, while nothing is sharded, while some are moved, and when they were."""

from uuid import UUID

import pytest
from sqlalchemy import delete

from tests.factories.tracking import add_organization
from warehouse.ids import uuid7
from warehouse.operational.models import Project, Shard, ShardAssignment
from warehouse.operational.store import OperationalStore
from warehouse.shards.members import Members, UnknownShardError, members_of

NAMES = ("huge 1", "huge 2", "small", "other")


class Map:
    """Three organizations, of which the first has two projects; moves are rows of PostgreSQL."""

    def __init__(self, store: OperationalStore) -> None:
        self._store = store
        made = [add_organization(store, name) for name in ("Huge", "Small", "Other")]
        self.huge, self.small, self.other = (one.organization_id for one in made)
        with store.write_session() as session:
            second = Project(id=uuid7(), organization_id=self.huge, name="Second")
            session.add(second)
        projects = [made[0].project_id, second.id, made[1].project_id, made[2].project_id]
        owners = [self.huge, self.huge, self.small, self.other]
        self.scopes = {
            name: (owner, project)
            for name, owner, project in zip(NAMES, owners, projects, strict=True)
            if project
        }

    def have(self, *names: str) -> None:
        with self._store.write_session() as session:
            session.add_all(Shard(name=name) for name in names)

    def assign(
        self, organization: UUID, shard: str, *, served_by: str | None = None, project: str = ""
    ) -> None:
        scope = self.scopes[project][1] if project else None
        of_it = ShardAssignment.project_id.is_not_distinct_from(scope)
        with self._store.write_session() as session:
            session.execute(
                delete(ShardAssignment).where(
                    ShardAssignment.organization_id == organization, of_it
                )
            )
            session.add(
                ShardAssignment(
                    organization_id=organization,
                    project_id=scope,
                    shard=shard,
                    served_by=served_by or shard,
                )
            )

    def members(self, shard: str | None) -> Members | None:
        with self._store.read_session() as session:
            return members_of(session, shard)

    def of(self, shard: str | None) -> set[str]:
        """Whom a shard computes, by the names of the four projects."""
        members = self.members(shard)
        return {
            name
            for name, scope in self.scopes.items()
            if members is None or members.has_project(*scope)
        }


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
    with pytest.raises(UnknownShardError, match="no shard b: make it by `tracker shard add b`"):
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
