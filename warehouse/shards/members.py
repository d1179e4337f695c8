"""The members of a shard: what is assigned to it, and what it still serves until that is published.

`main` has all organizations that are assigned to no other shard.
"""

import hashlib
import json
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from warehouse.operational.models import Shard, ShardAssignment
from warehouse.operational.store import OperationalStore
from warehouse.settings import MAIN_SHARD, Settings


@dataclass(frozen=True)
class Members:
    """The `organizations` of a shard, or with `rest` all others."""

    organizations: frozenset[UUID]
    rest: bool

    def has(self, organization_id: UUID) -> bool:
        return (organization_id in self.organizations) != self.rest

    @property
    def digest(self) -> str:
        """Hash that identifies the members."""
        fields = [self.rest, sorted(map(str, self.organizations))]
        return hashlib.sha256(json.dumps(fields).encode()).hexdigest()


def members_of(session: Session, shard: str | None) -> Members | None:
    """Return the members of a shard, None if it has everything; a `shard` of None is `main`.

    Must be read in one snapshot with what is copied for it. Raises UnknownShardError.
    """
    name = shard or MAIN_SHARD
    rest = name == MAIN_SHARD
    if not rest and session.get(Shard, name) is None:
        raise UnknownShardError(f"there is no shard {name}: add it with `tracker shard add {name}`")
    rows = session.scalars(select(ShardAssignment)).all()
    listed = {row.organization_id for row in rows if (name in {row.shard, row.served_by}) != rest}
    return Members(frozenset(listed), rest) if listed or not rest else None


def members_now(store: OperationalStore, settings: Settings) -> Members | None:
    """Return the current members of this process's shard, None if it has everything."""
    with store.read_session() as session:
        return members_of(session, settings.shard)


def digest_of(members: Members | None) -> str | None:
    """Return the hash that identifies the members; None for all."""
    return members.digest if members else None


class UnknownShardError(Exception):
    """The process's shard does not exist in PostgreSQL."""
