"""From where a series counts: each post's or account's first reading in a span of time."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.members import ACCOUNTS, VIDEOS
from warehouse.reading.series_query import Entity, Metric

FIRST_READINGS = """
    select {id}, first_captured_at
    from ({members})
    where first_captured_at >= $start and first_captured_at < $until
    order by first_captured_at, {id}
"""


@dataclass(frozen=True, slots=True)
class Baseline:
    """A post's or, for followers, an account's first reading (UTC)."""

    entity_id: UUID
    snapshot_at: datetime


def baselines(
    cursor: DuckDBPyConnection,
    organization_id: UUID,
    entity: Entity,
    entity_id: UUID,
    metric: Metric,
    *,
    start: datetime,
    until: datetime,
) -> list[Baseline]:
    """Return the first readings from `start` to before `until` that the metric counts from.

    None for video_count, which counts posts and not readings.
    """
    if metric == "video_count":
        return []
    members, member_id = (ACCOUNTS, "account_id") if metric == "followers" else (VIDEOS, "video_id")
    statement = FIRST_READINGS.format(members=members[entity], id=member_id)
    parameters = {
        "organization_id": organization_id,
        "entity_id": entity_id,
        "start": start,
        "until": until,
    }
    return [Baseline(*row) for row in cursor.execute(statement, parameters).fetchall()]
