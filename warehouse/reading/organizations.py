"""What a publication knows of an organization."""

from uuid import UUID

from duckdb import DuckDBPyConnection

ZONE = "select analytics_tz from marts.organizations where organization_id = $organization_id"


def zone_of_days(cursor: DuckDBPyConnection, organization_id: UUID) -> str | None:
    """Return the IANA zone in whose days the daily marts are; None where nothing is published yet.

    The organization may have moved to another zone since the publication.
    """
    row = cursor.execute(ZONE, {"organization_id": organization_id}).fetchone()
    return row[0] if row else None
