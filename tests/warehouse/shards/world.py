"""Shards with the publications of a test, and their members."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy import delete

from tests.factories.marts import FEW, empty_marts
from tests.factories.tracking import add_organization
from warehouse.operational.models import Shard, ShardAssignment
from warehouse.operational.store import OperationalStore
from warehouse.publication.publish import publish
from warehouse.settings import Settings
from warehouse.shards.members import Members, members_of
from warehouse.shards.publications import ShardPublications

NOON = datetime(2026, 7, 20, 12, tzinfo=UTC)
NAMES = ("huge", "small", "other")


class Map:
    """Three organizations; moves are rows in PostgreSQL."""

    def __init__(self, store: OperationalStore) -> None:
        self._store = store
        self.huge, self.small, self.other = (
            add_organization(store, name).organization_id for name in NAMES
        )

    def have(self, *names: str) -> None:
        with self._store.write_session() as session:
            session.add_all(Shard(name=name) for name in names)

    def assign(self, organization: UUID, shard: str, *, served_by: str | None = None) -> None:
        of_it = ShardAssignment.organization_id == organization
        with self._store.write_session() as session:
            session.execute(delete(ShardAssignment).where(of_it))
            session.add(
                ShardAssignment(
                    organization_id=organization, shard=shard, served_by=served_by or shard
                )
            )

    def members(self, shard: str | None) -> Members | None:
        with self._store.read_session() as session:
            return members_of(session, shard)

    def of(self, shard: str | None) -> set[str]:
        """Return the names of a shard's members."""
        members, of_all = self.members(shard), (self.huge, self.small, self.other)
        return {
            name
            for name, organization in zip(NAMES, of_all, strict=True)
            if members is None or members.has(organization)
        }


def published(settings: Settings, shard: str, *whose: UUID, hour: int = 0, made: int = 0) -> UUID:
    """Publish organizations of a shard as of `hour` hours after noon; return the publication's id.

    By the real clock it is published `made` hours after noon, or at `hour` if that is later.
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
