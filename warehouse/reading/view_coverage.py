"""How many of the readings of views that were due came, from marts.view_coverage."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.by_ids import read_by_ids

COVERAGE = """
    select
        entity_id,
        from_day,
        to_day,
        readings_due,
        readings_came
    from marts.view_coverage
    where
        organization_id = $organization_id
        and entity_id in (select cast(unnest(string_split($ids, ',')) as uuid))
"""


@dataclass(frozen=True, slots=True)
class ViewCoverage:
    """Of inclusive days of the organization's zone: one reading of each post is due on each."""

    from_day: date
    to_day: date
    readings_due: int
    readings_came: int


def view_coverage(
    cursor: DuckDBPyConnection, organization_id: UUID, ids: Sequence[UUID]
) -> dict[UUID, ViewCoverage]:
    """Return the coverage of accounts and campaigns; of those without, nothing was due."""
    return read_by_ids(cursor, COVERAGE, ViewCoverage, organization_id, ids)
