"""The status and weight of shards, and which members to move to even it out.

A project weighs one plus its number of posts in the registry: the work grows with them.
Organizations move as a whole, except those that weigh more than should be moved.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
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

PROJECTS = """
    select
        organizations.id as organization_id,
        projects.id as project_id,
        coalesce(own.shard, whole.shard, 'main') as shard,
        coalesce(own.served_by, whole.served_by, 'main') as served_by,
        own.id is not null as is_apart,
        (select count(*) from videos where videos.project_id = projects.id) as posts
    from organizations
    left join projects on projects.organization_id = organizations.id
    left join shard_assignments as own on own.project_id = projects.id
    left join shard_assignments as whole
        on whole.organization_id = organizations.id and whole.project_id is null
    order by organizations.id, projects.id
"""


@dataclass(frozen=True)
class Weighed:
    """A project, or an organization without one, with its posts and its shard.

    `served_by` differs from `shard` while it moves; `is_apart` tells whether it has its own
    assignment.
    """

    organization_id: UUID
    project_id: UUID | None
    shard: str
    served_by: str
    is_apart: bool
    posts: int


@dataclass(frozen=True)
class _Scope:
    """What can move together."""

    organization_id: UUID
    project_id: UUID | None
    weight: int

    def has(self, each: Weighed) -> bool:
        """Tell whether it moves with this: a project with its own assignment moves alone."""
        if self.project_id is not None:
            return each.project_id == self.project_id
        return each.organization_id == self.organization_id and not each.is_apart

    def to(self, giver: str, receiver: str) -> Move:
        return Move(self.organization_id, self.project_id, giver, receiver)


def weigh(session: Session) -> Sequence[Weighed]:
    return [Weighed(**row) for row in session.execute(text(PROJECTS)).mappings()]


def splitting(weighed: Iterable[Weighed], giver: str, receiver: str) -> list[Move]:
    """Return moves of about half of a shard's weight to another. Raises NotAssignableError."""
    of_it = [each for each in weighed if each.shard == each.served_by == giver]
    half = sum(map(_weight, of_it)) // 2
    stays = goes = 0
    moves = []
    for scope in _scopes(of_it, half):
        if stays <= goes:
            stays += scope.weight
        else:
            goes += scope.weight
            moves.append(scope.to(giver, receiver))
    if not moves or giver == receiver:
        raise NotAssignableError(f"{giver} has nothing to give: a project is never split")
    return moves


def balancing(weighed: Sequence[Weighed], shards: Iterable[str]) -> list[Move]:
    """Return moves that even out the shards' weights; none if they are already even."""
    loads = Counter(dict.fromkeys(shards, 0))
    for each in weighed:
        loads[each.shard] += _weight(each)
    rest = [each for each in weighed if each.shard == each.served_by]
    moves: list[Move] = []
    while next_move := _next(rest, loads):
        scope, giver, receiver = next_move
        loads[giver] -= scope.weight
        loads[receiver] += scope.weight
        moves.append(scope.to(giver, receiver))
        rest = [each for each in rest if not scope.has(each)]
    return moves


def _next(rest: Sequence[Weighed], loads: Counter[str]) -> tuple[_Scope, str, str] | None:
    """Return the move that best evens out the heaviest and lightest shard, None without one."""
    ordered = sorted(loads, key=lambda name: (loads[name], name))
    lightest, heaviest = ordered[0], ordered[-1]
    gap = loads[heaviest] - loads[lightest]
    of_it = [each for each in rest if each.shard == heaviest]
    scopes = [scope for scope in _scopes(of_it, gap // 2) if scope.weight < gap]
    if gap <= ALIKE * loads.total() / len(loads) or not scopes:
        return None
    return min(scopes, key=lambda scope: abs(gap - 2 * scope.weight)), heaviest, lightest


def _scopes(weighed: Iterable[Weighed], most: int) -> Iterator[_Scope]:
    """Yield what can move from a shard, heaviest first; by project if heavier than `most`."""
    yield from sorted(_each(weighed, most), key=lambda scope: (-scope.weight, str(scope)))


def _each(weighed: Iterable[Weighed], most: int) -> Iterator[_Scope]:
    together: dict[UUID, list[Weighed]] = defaultdict(list)
    for each in weighed:
        if each.is_apart:
            yield _Scope(each.organization_id, each.project_id, _weight(each))
        else:
            together[each.organization_id].append(each)
    for organization_id, projects in together.items():
        weight = sum(map(_weight, projects))
        if weight > most and len(projects) > 1:
            yield from (
                _Scope(organization_id, project.project_id, _weight(project))
                for project in projects
            )
        else:
            yield _Scope(organization_id, None, weight)


def _weight(each: Weighed) -> int:
    return each.posts + 1


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

    `arriving` counts projects served by another shard until this one has published them. `as_of`
    is the business time of its last publication, `behind` the number of batches not ingested, for
    `behind_hours` hours, and `builder` the machine and process that build it now.
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
        "organizations": len({each.organization_id for each in weighed}),
        "projects": sum(each.project_id is not None for each in weighed),
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
