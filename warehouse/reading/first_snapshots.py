"""When an entity was first read: the instant before which every bucket is missing data."""

from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from duckdb import DuckDBPyConnection

from warehouse.reading.members import ACCOUNTS, VIDEOS
from warehouse.reading.series_query import Entity


@dataclass(frozen=True, slots=True)
class FirstSnapshots:
    """The first reading of an entity's posts and of its accounts (UTC); None = none yet."""

    of_posts: datetime | None
    of_accounts: datetime | None

    @property
    def of_any(self) -> datetime | None:
        """The entity's first reading."""
        return min(filter(None, (self.of_posts, self.of_accounts)), default=None)


def first_snapshots(
    cursor: DuckDBPyConnection, organization_id: UUID, entity: Entity, entity_id: UUID
) -> FirstSnapshots:
    """Return the first readings of an entity of the organization."""
    statement = f"""
        select
            (select min(first_captured_at) from ({VIDEOS[entity]})),
            (select min(first_captured_at) from ({ACCOUNTS[entity]}))
    """  # noqa: S608 (our own texts)
    of_posts, of_accounts = cursor.execute(
        statement, {"organization_id": organization_id, "entity_id": entity_id}
    ).fetchall()[0]
    return FirstSnapshots(of_posts, of_accounts)


def day_in(zone: str, instant: datetime | None) -> date | None:
    """Return the calendar day of an instant in a zone."""
    return instant.astimezone(ZoneInfo(zone)).date() if instant else None
