"""The members of a shard: what is assigned to it, and what it still serves until that is published.

A project's own assignment takes precedence over its organization's; `main` has everything else.
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from warehouse.operational.models import Shard, ShardAssignment
from warehouse.operational.store import OperationalStore
from warehouse.settings import MAIN_SHARD, Settings


@dataclass(frozen=True)
class Members:
    """The members of a shard.

    They are all projects of `organizations`, or with `rest` all projects outside
    `except_organizations`, without `except_projects`; and also `projects`, which belong to other
    organizations.
    """

    organizations: frozenset[UUID]
    projects: frozenset[UUID]
    except_organizations: frozenset[UUID]
    except_projects: frozenset[UUID]
    rest: bool

    def has_organization(self, organization_id: UUID) -> bool:
        """Tell whether an organization is a member, apart from projects of other shards."""
        if self.rest:
            return organization_id not in self.except_organizations
        return organization_id in self.organizations

    def has_project(self, organization_id: UUID, project_id: UUID) -> bool:
        if project_id in self.projects:
            return True
        return self.has_organization(organization_id) and project_id not in self.except_projects

    @property
    def digest(self) -> str:
        """Hash that identifies the members."""
        fields = {name: _as_json(value) for name, value in asdict(self).items()}
        return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def _as_json(value: Collection[UUID] | bool) -> list[str] | bool:
    return value if isinstance(value, bool) else sorted(map(str, value))


def members_of(session: Session, shard: str | None) -> Members | None:
    """Return the members of a shard, None if it has everything; a `shard` of None is `main`.

    Must be read in one snapshot with what is copied for it. Raises UnknownShardError.
    """
    name = shard or MAIN_SHARD
    rest = name == MAIN_SHARD
    if not rest and session.get(Shard, name) is None:
        raise UnknownShardError(f"there is no shard {name}: add it with `tracker shard add {name}`")
    rows = session.scalars(select(ShardAssignment)).all()
    if rest and not rows:
        return None
    members = _members(rows, name, rest=rest)
    excepts = members.except_organizations or members.except_projects
    return members if excepts or not rest else None


def members_now(store: OperationalStore, settings: Settings) -> Members | None:
    """Return the current members of this process's shard, None if it has everything."""
    with store.read_session() as session:
        return members_of(session, settings.shard)


def digest_of(members: Members | None) -> str | None:
    """Return the hash that identifies the members; None for all."""
    return members.digest if members else None


def _members(rows: Sequence[ShardAssignment], name: str, *, rest: bool) -> Members:
    whole = {row.organization_id: _is_of(row, name) for row in rows if row.project_id is None}
    apart = {
        row.project_id: _is_of(row, name)
        for row in rows
        if row.project_id and _is_of(row, name) != whole.get(row.organization_id, rest)
    }
    return Members(
        organizations=frozenset() if rest else _where(whole, True),
        projects=_where(apart, True),
        except_organizations=_where(whole, False) if rest else frozenset(),
        except_projects=_where(apart, False),
        rest=rest,
    )


def _where(is_ours_by_id: Mapping[UUID, bool], is_ours: bool) -> frozenset[UUID]:
    return frozenset(key for key, value in is_ours_by_id.items() if value == is_ours)


def _is_of(row: ShardAssignment, name: str) -> bool:
    """Tell whether a shard computes it: assigned to it, or still served by it."""
    return name in {row.shard, row.served_by}


class UnknownShardError(Exception):
    """The process's shard does not exist in PostgreSQL."""
