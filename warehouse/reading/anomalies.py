"""Anomalies, the latest first, from marts.reading_anomalies."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Literal, NamedTuple
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.platforms import TrackedPlatform

Reason = Literal[
    "silent_views",
    "single_step",
    "cannot_be_judged",
    "repeated_comments",
    "fall",
    "late_revival",
    "platform_wide",
]

CONDITIONS = {
    "organization_id": "organization_id = $organization_id",
    "project_id": "project_id = $project_id",
    "campaign_id": """video_id in (
        select video_id
        from marts.campaign_videos
        where campaign_id = $campaign_id
    )""",
    "creator_id": "creator_id = $creator_id",
    "video_id": "video_id = $video_id",
    "reason": "reason = $reason",
    "begins_at": "captured_at >= $begins_at",
    "ends_at": "captured_at < $ends_at",
}
AFTER = "(captured_at, anomaly_id) < ($after_at::timestamptz, $after_id::uuid)"
PAGE = """
    select {columns}
    from marts.reading_anomalies
    where {conditions}
    order by captured_at desc, anomaly_id desc
    limit $limit
    offset $offset
"""


class AnomalyPosition(NamedTuple):
    """The position of an anomaly in the list."""

    at: datetime
    id: UUID


@dataclass(frozen=True, slots=True)
class Anomaly:
    """An anomalous reading; the mart describes the columns."""

    anomaly_id: UUID
    reason: Reason
    sentence: str
    evidence: Mapping[str, int | str]
    video_id: UUID
    platform: TrackedPlatform
    account_id: UUID | None
    creator_id: UUID | None
    project_id: UUID
    since_at: datetime | None
    captured_at: datetime

    @property
    def position(self) -> AnomalyPosition:
        return AnomalyPosition(self.captured_at, self.anomaly_id)


COLUMNS = [field.name for field in fields(Anomaly)]


@dataclass(frozen=True, kw_only=True)
class AnomalyFilter:
    """Filters anomalies; None: any. Instants from `begins_at` to before `ends_at`."""

    organization_id: UUID
    project_id: UUID | None = None
    campaign_id: UUID | None = None
    creator_id: UUID | None = None
    video_id: UUID | None = None
    reason: Reason | None = None
    begins_at: datetime | None = None
    ends_at: datetime | None = None

    def parameters(self) -> dict[str, Any]:
        return {name: value for name in CONDITIONS if (value := getattr(self, name)) is not None}


def list_anomalies(
    cursor: DuckDBPyConnection,
    filters: AnomalyFilter,
    *,
    after: AnomalyPosition | None,
    limit: int,
    offset: int = 0,
) -> list[Anomaly]:
    """Return up to `limit` anomalies after a position, skipping `offset`."""
    parameters = filters.parameters()
    conditions = [CONDITIONS[name] for name in parameters]
    if after is not None:
        conditions.append(AFTER)
        parameters |= {"after_at": after.at, "after_id": after.id}
    statement = PAGE.format(columns=", ".join(COLUMNS), conditions=" and ".join(conditions))
    rows = cursor.execute(statement, {**parameters, "limit": limit, "offset": offset}).fetchall()
    records = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    return [Anomaly(**{**row, "evidence": json.loads(row["evidence"])}) for row in records]
