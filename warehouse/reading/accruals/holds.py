"""Anomalies behind held amounts: marts.payout_holds.

An accrual stands for its adjustments too. Releases are in PostgreSQL.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from duckdb import CatalogException, DuckDBPyConnection

from warehouse.reading.anomalies import Reason
from warehouse.reading.statements import statement

HOLDS: Final = statement(__name__, "holds.sql")
HOLD_IDS: Final = statement(__name__, "hold_ids.sql")


@dataclass(frozen=True, slots=True)
class OddReading:
    """A reading of a post that no natural growth explains, and why."""

    anomaly_id: UUID
    video_id: UUID
    captured_at: datetime
    reason: Reason
    sentence: str


def odd_readings(
    cursor: DuckDBPyConnection, organization_id: UUID, accrual_ids: Collection[UUID] | None = None
) -> Mapping[UUID, Sequence[OddReading]]:
    """Return anomalies that hold accruals, the first reading first, for some or all.

    Accruals without any are left out. Publications of earlier models have none.
    """
    ids = None if accrual_ids is None else ",".join(map(str, accrual_ids))
    if ids == "":
        return {}
    try:
        rows = cursor.execute(HOLDS, {"organization_id": organization_id, "ids": ids}).fetchall()
    except CatalogException:
        return {}
    readings_of: dict[UUID, list[OddReading]] = defaultdict(list)
    for accrual_id, *columns in rows:
        readings_of[accrual_id].append(OddReading(*columns))
    return readings_of


def hold_ids(cursor: DuckDBPyConnection, organization_id: UUID) -> Sequence[tuple[UUID, UUID]]:
    """Return all (accrual, anomaly) ids of an organization, released ones too."""
    try:
        return cursor.execute(HOLD_IDS, {"organization_id": organization_id}).fetchall()
    except CatalogException:
        return []
