"""The status of each shard: its members, how current it is, and the machine that builds it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlalchemy.orm import Session

from warehouse.settings import MAIN_SHARD, Settings
from warehouse.shards.lease import OF_SHARD
from warehouse.shards.weighing import Weighed, weigh

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
