"""The status and weight of shards, and which members to move to even it out.

An organization weighs its projects and their posts in the registry: the work grows with them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from warehouse.settings import MAIN_SHARD, Settings
from warehouse.shards.assigning import Move, NotAssignableError
from warehouse.shards.lease import OF_SHARD

ALIKE = 0.1
"""Largest accepted difference between the heaviest and lightest shard, as a share of the average.
"""

ORGANIZATIONS = """
    select
        organizations.id as organization_id,
        coalesce(assignments.shard, 'main') as shard,
        coalesce(assignments.served_by, 'main') as served_by,
        (select count(*) from projects where organization_id = organizations.id) as projects,
        (select count(*) from videos where organization_id = organizations.id) as posts
    from organizations
    left join shard_assignments as assignments on assignments.organization_id = organizations.id
    order by organizations.id
"""


@dataclass(frozen=True)
class Weighed:
    """An organization with its projects, posts and shard.

    `served_by` differs from `shard` while it moves.
    """

    organization_id: UUID
    shard: str
    served_by: str
    projects: int
    posts: int

    @property
    def weight(self) -> int:
        """One for each project, or without any for itself, and one for each post."""
        return max(self.projects, 1) + self.posts

    def to(self, receiver: str) -> Move:
        return Move(self.organization_id, self.shard, receiver)


def weigh(session: Session) -> Sequence[Weighed]:
    return [Weighed(**row) for row in session.execute(text(ORGANIZATIONS)).mappings()]


def splitting(weighed: Iterable[Weighed], giver: str, receiver: str) -> list[Move]:
    """Return moves of about half of a shard's weight to another. Raises NotAssignableError."""
    stays = goes = 0
    moves = []
    for each in _movable(weighed, giver):
        if stays <= goes:
            stays += each.weight
        else:
            goes += each.weight
            moves.append(each.to(receiver))
    if not moves or giver == receiver:
        raise NotAssignableError(f"{giver} has nothing to give: an organization is never split")
    return moves


def balancing(weighed: Sequence[Weighed], shards: Iterable[str]) -> list[Move]:
    """Return moves that even out the shards' weights; none if they are already even."""
    loads = Counter(dict.fromkeys(shards, 0))
    for each in weighed:
        loads[each.shard] += each.weight
    rest = list(weighed)
    moves: list[Move] = []
    while next_move := _next(rest, loads):
        moved, receiver = next_move
        loads[moved.shard] -= moved.weight
        loads[receiver] += moved.weight
        moves.append(moved.to(receiver))
        rest.remove(moved)
    return moves


def _next(rest: Sequence[Weighed], loads: Counter[str]) -> tuple[Weighed, str] | None:
    """Return the move that best evens out the heaviest and lightest shard, None without one."""
    ordered = sorted(loads, key=lambda name: (loads[name], name))
    lightest, heaviest = ordered[0], ordered[-1]
    gap = loads[heaviest] - loads[lightest]
    movable = [each for each in _movable(rest, heaviest) if each.weight < gap]
    if gap <= ALIKE * loads.total() / len(loads) or not movable:
        return None
    return min(movable, key=lambda each: abs(gap - 2 * each.weight)), lightest


def _movable(weighed: Iterable[Weighed], shard: str) -> list[Weighed]:
    """Return what can move from a shard, heaviest first."""
    of_it = (each for each in weighed if each.shard == each.served_by == shard)
    return sorted(of_it, key=lambda each: (-each.weight, str(each.organization_id)))


SHARDS = """
    select
        shards.name as shard,
        greatest(newest - ingested_up_to, 0) as behind,
        (
            select extract(epoch from clock_timestamp() - min(registered_at))::float8 / 3600
            from registered_batches
            where batch_seq > ingested_up_to
        ) as behind_hours,
        case when leases.expires_at > clock_timestamp() then leases.holder end as builder
    from shards
    cross join (select coalesce(max(batch_seq), 0) as newest from registered_batches)
    left join leases on leases.name = :of_shard || shards.name
    order by shards.name <> 'main', shards.name
"""


@dataclass(frozen=True)
class ShardStatus:
    """A shard's members with their posts, and how current it is.

    `arriving` counts organizations served by another shard until this one has published them.
    `as_of` is the business time of its last publication, `behind` the number of batches not
    ingested, for `behind_hours` hours, and `builder` the machine and process that build it now.
    """

    shard: str
    organizations: int
    projects: int
    posts: int
    arriving: int
    as_of: datetime | None
    behind: int
    behind_hours: float | None
    builder: str | None


def shard_statuses(settings: Settings, session: Session) -> Sequence[ShardStatus]:
    """Return the status of each shard, `main` first; empty without shards."""
    shards = session.execute(text(SHARDS), {"of_shard": OF_SHARD}).mappings().all()
    if not shards:
        return []
    weighed, as_of = weigh(session), published_as_of(settings, session)
    return [
        ShardStatus(
            **shard,
            **_members([each for each in weighed if each.shard == shard["shard"]]),
            as_of=as_of.get(shard["shard"]),
        )
        for shard in shards
    ]


def _members(weighed: Sequence[Weighed]) -> Mapping[str, Any]:
    return {
        "organizations": len(weighed),
        "projects": sum(each.projects for each in weighed),
        "posts": sum(each.posts for each in weighed),
        "arriving": sum(each.shard != each.served_by for each in weighed),
    }


def published_as_of(settings: Settings, session: Session) -> Mapping[str, datetime]:
    """Return each shard's last business time: from the bucket, else from this machine."""
    # Avoid importing DuckDB for those who only change assignments.
    from warehouse.publication.shared.pointer import last_shared  # noqa: PLC0415
    from warehouse.shards.publications import ShardPublications  # noqa: PLC0415

    if settings.landing_bucket is not None:
        return {row.shard or MAIN_SHARD: row.as_of for row in last_shared(session)}

    publications = ShardPublications(settings.of_shard(MAIN_SHARD))
    try:
        return {name: info.as_of for name, info in publications.infos().items()}
    finally:
        publications.close()
