"""Shards whose publications have what a test says, and who is in which."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy import delete

from tests.factories.marts import FEW, empty_marts
from tests.factories.tracking import add_organization
from warehouse.ids import uuid7
from warehouse.operational.models import Project, Shard, ShardAssignment
from warehouse.operational.store import OperationalStore
from warehouse.publication.publish import publish
from warehouse.settings import Settings
from warehouse.shards.members import Members, members_of
from warehouse.shards.publications import ShardPublications

NOON = datetime(2026, 7, 20, 12, tzinfo=UTC)
NAMES = ("huge 1", "huge 2", "small", "other")


class Time:
    """Seconds that pass where a test says so."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class Map:
    """Three organizations, of which the first has two projects; moves are rows of PostgreSQL."""

    def __init__(self, store: OperationalStore) -> None:
        self._store = store
        made = [add_organization(store, name) for name in ("Huge", "Small", "Other")]
        self.huge, self.small, self.other = (organization.organization_id for organization in made)
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


def published(settings: Settings, shard: str, *whose: UUID, hour: int = 0, made: int = 0) -> UUID:
    """Let a shard publish some organizations, as of an hour after noon; the publication's id.

    By the real clock it is `made` then, or in another hour.
    """
    with empty_marts(FEW) as marts:
        for organization_id in whose:
            marts.execute(
                "insert into marts.organizations (organization_id) values (?)", [organization_id]
            )
        as_of = NOON + timedelta(hours=hour)
        real = NOON + timedelta(hours=max(hour, made))
        info = publish(settings.of_shard(shard), marts, as_of=as_of, real_clock=lambda: real)
    return info.id


def read(publications: ShardPublications, whose: UUID | None) -> UUID:
    with publications.lease(whose) as opened:
        return opened.info.publication_id
