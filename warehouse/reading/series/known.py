"""Facts about an organization and entities in a publication that no query changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.series.beginnings import Beginnings, beginnings
from warehouse.reading.series.query import SeriesQuery


@dataclass(frozen=True, slots=True)
class Known:
    """The daily marts' zone and each entity's first readings, in one publication.

    The zone is None if the publication lacks the organization; the organization's zone may have
    changed since.
    """

    org_zone: str | None
    beginnings: Mapping[UUID, Beginnings]

    @property
    def first_readings(self) -> int:
        """Number of first readings, for the cache's size."""
        return sum(began.first_readings for began in self.beginnings.values())


UNKNOWN = Known(None, {})
"""Before the first publication."""


def known_of(cursor: DuckDBPyConnection, query: SeriesQuery) -> Known:
    return Known(zone_of_days(cursor, query.organization_id), beginnings(cursor, query))


ZONE = "select analytics_tz from marts.organizations where organization_id = $organization_id"


def zone_of_days(cursor: DuckDBPyConnection, organization_id: UUID) -> str | None:
    """Return the IANA zone of days in the daily marts; None before the first publication.

    The organization's zone may have changed since.
    """
    row = cursor.execute(ZONE, {"organization_id": organization_id}).fetchone()
    return row[0] if row else None
