"""What one publication knows of entities, whatever is asked of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.organizations import zone_of_days
from warehouse.reading.series.beginnings import Beginnings, beginnings
from warehouse.reading.series.query import SeriesQuery


@dataclass(frozen=True, slots=True)
class Known:
    """What one publication knows of entities whatever is asked of them.

    The zone in whose days its daily marts are (None: it has nothing of the organization, which
    may have moved to another zone since), and when each entity was first read.
    """

    org_zone: str | None
    beginnings: Mapping[UUID, Beginnings]

    @property
    def first_readings(self) -> int:
        """How many first readings it holds."""
        return sum(began.first_readings for began in self.beginnings.values())


UNKNOWN = Known(None, {})
"""Before anything is published."""


def known_of(cursor: DuckDBPyConnection, query: SeriesQuery) -> Known:
    """Return what there is to know of a query's entities."""
    return Known(zone_of_days(cursor, query.organization_id), beginnings(cursor, query))
