"""Facts of an organization in a publication."""

from uuid import UUID

from duckdb import DuckDBPyConnection

ZONE = "select analytics_tz from marts.organizations where organization_id = $organization_id"


def zone_of_days(cursor: DuckDBPyConnection, organization_id: UUID) -> str | None:
    """Return the IANA zone of days in the daily marts; None before the first publication.

    The organization's zone may have changed since.
    """
    row = cursor.execute(ZONE, {"organization_id": organization_id}).fetchone()
    return row[0] if row else None
