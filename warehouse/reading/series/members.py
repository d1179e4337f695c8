"""SQL for an entity's counted videos and active accounts.

A video's own numbers include uncounted ones; totals are over the videos that count now, for every
date (counting.md). Parameter: $organization_id.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from warehouse.reading.series.changes import one_of
from warehouse.reading.series.metrics import Entity
from warehouse.reading.series.query import Member, SeriesQuery


@dataclass(frozen=True)
class Rows:
    sql: str
    parameters: Mapping[str, object]


VIDEOS: Mapping[Entity, tuple[str, str]] = {
    "video": ("marts.videos", "video_id"),
    "creator": ("marts.creator_videos", "creator_id"),
    "campaign": ("marts.campaign_videos", "campaign_id"),
}
"""By entity: the mart with a row for each of its videos, and the entity's column."""

ACCOUNTS: Mapping[Entity, tuple[str, str]] = {
    "creator": ("marts.accounts", "creator_id"),
    "campaign": ("marts.campaign_accounts", "campaign_id"),
}
"""The same for accounts. A video has none."""

MEMBERS = """
    select
        {member} as member,
        {columns}
    from {mart}
    where
        organization_id = $organization_id
        and {is_selected}
        and {counts}
"""


def videos_of(query: SeriesQuery, columns: str, kind: Member | None = None) -> Rows:
    """Return the videos of the entities, once per entity: (member, <columns>).

    The member is the entity; with a `kind`, the video itself or its creator, if it has one.
    """
    mart, key = VIDEOS[query.entity]
    member = f"{kind}_id" if kind else key
    return _members(query, (mart, key), columns, member=member, counts=f"{member} is not null")


def accounts_of(query: SeriesQuery, columns: str) -> Rows:
    """Return the active accounts of creators or campaigns: (member, <columns>)."""
    mart, key = ACCOUNTS[query.entity]
    counts = "is_active and not is_deactivated" if query.entity == "creator" else "true"
    return _members(query, (mart, key), columns, member=key, counts=counts)


def _members(
    query: SeriesQuery, mart_key: tuple[str, str], columns: str, *, member: str, counts: str
) -> Rows:
    mart, key = mart_key
    is_selected, ids = one_of(key, "entity", query.entity_ids)
    sql = MEMBERS.format(
        member=member, columns=columns, mart=mart, is_selected=is_selected, counts=counts
    )
    return Rows(sql, ids)
