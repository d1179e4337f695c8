"""Coverage of due view readings of accounts, campaigns and projects."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from typing import Final
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.statements import read_by_ids, statement
from warehouse.zones import start_of

COVERAGE: Final = statement(__name__, "view_coverage.sql")

# As defined by marts.view_coverage (macros/counts/view_readings_due.sql).
BY_DAY: Final = statement(__name__, "view_coverage_by_day.sql")


@dataclass(frozen=True, slots=True)
class ViewCoverage:
    """Coverage over inclusive organization-local days: one reading of each post is due per day."""

    from_day: date
    to_day: date
    readings_due: int
    readings_came: int


def view_coverage(
    cursor: DuckDBPyConnection, organization_id: UUID, ids: Sequence[UUID]
) -> dict[UUID, ViewCoverage]:
    """Return the coverage of accounts and campaigns, without those with no due reading."""
    return read_by_ids(cursor, COVERAGE, ViewCoverage, organization_id, ids)


@dataclass(frozen=True, slots=True)
class DailyCoverageQuery:
    """A project, and days of an IANA zone, both inclusive."""

    organization_id: UUID
    project_id: UUID
    from_day: date
    to_day: date
    zone: str


def daily_coverage(
    cursor: DuckDBPyConnection, query: DailyCoverageQuery
) -> dict[date, tuple[int, int, int]]:
    """Return (readings due, that came, that came without views) by day, if any was due."""
    bounds = {
        "from_at": start_of(query.from_day, query.zone),
        "until_at": start_of(query.to_day + timedelta(days=1), query.zone),
    }
    rows = cursor.execute(BY_DAY, {**asdict(query), **bounds}).fetchall()
    return {day: (due, came, without) for day, due, came, without in rows}
