"""Milestones of creators, from marts.creator_milestones."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.series.changes import one_of
from warehouse.zones import start_of

MILESTONES = """
    select
        milestones.creator_id,
        milestones.counted,
        milestones.threshold,
        milestones.day,
        organizations.analytics_tz
    from marts.creator_milestones as milestones
    inner join marts.organizations as organizations using (organization_id)
    where
        milestones.organization_id = $organization_id
        and {is_selected}
"""


@dataclass(frozen=True, slots=True)
class Milestone:
    """A creator's total first reached `threshold` on `day` of the zone `tz`."""

    creator_id: UUID
    counted: Literal["views", "followers"]
    threshold: int
    day: date
    tz: str

    @property
    def at(self) -> datetime:
        """When the day began (UTC), because the marts have milestones by day."""
        return start_of(self.day, self.tz)


def milestones(
    cursor: DuckDBPyConnection, organization_id: UUID, creator_ids: Collection[UUID]
) -> list[Milestone]:
    if not creator_ids:
        return []
    is_selected, ids = one_of("milestones.creator_id", "creator", list(creator_ids))
    statement = MILESTONES.format(is_selected=is_selected)
    rows = cursor.execute(statement, {"organization_id": organization_id, **ids}).fetchall()
    return [Milestone(*row) for row in rows]
