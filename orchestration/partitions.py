"""Days as Dagster sees them: one partition a UTC day, for backfills of what dbt computes.

The days inside the marts are org-local; a partition only names the stretch of business time whose
readings are recomputed. An ordinary pass records itself under its own day.
"""

from datetime import date, datetime, timedelta

import duckdb
from dagster import AssetExecutionContext, DailyPartitionsDefinition

from warehouse.publication.current import CurrentPublication, NoPublication
from warehouse.settings import Settings

RANGE_FROM = "dagster/asset_partition_range_start"
RANGE_TO = "dagster/asset_partition_range_end"
"""Tags of a run over several partitions."""


def first_day(settings: Settings) -> date:
    """Return the day of the earliest reading that is published; today where none is known.

    Today is the day of business time, also where that lies before all readings.
    """
    now, first = settings.clock(), _first_reading_at(settings)
    return min(first or now, now).date()


def days_since(first: date) -> DailyPartitionsDefinition:
    """Return the days from `first` through today.

    A process goes on with those that it started with: days before them, which an import of earlier
    readings adds, are there in the next one.
    """
    return DailyPartitionsDefinition(start_date=first.isoformat(), end_offset=1)


def partition_of(instant: datetime) -> str:
    """Return the partition that a pass at `instant` (business time) records itself under."""
    return instant.strftime("%Y-%m-%d")


def range_tags(first: date, last: date) -> dict[str, str]:
    """Return the tags of a run over a range of days, as Dagster's own backfills set them."""
    return {
        RANGE_FROM: first.isoformat(),
        RANGE_TO: last.isoformat(),
    }


def days_to_recompute(
    context: AssetExecutionContext, as_of: datetime
) -> tuple[date | None, date | None]:
    """Return the first and last UTC day of a backfill, or (None, None) in an ordinary pass."""
    if not context.has_partition_key and not context.has_partition_key_range:
        return None, None
    window = context.partition_time_window
    first, last = window.start.date(), (window.end - timedelta(days=1)).date()
    is_range = RANGE_FROM in context.run.tags
    if first == last == as_of.date() and not is_range:
        return None, None
    return first, last


def _first_reading_at(settings: Settings) -> datetime | None:
    """Return None also of a publication that cannot be read: the next pass makes another."""
    current = CurrentPublication(settings.publications_path)
    try:
        return current.info().first_reading_at
    except (NoPublication, OSError, duckdb.Error):
        return None
    finally:
        current.close()
