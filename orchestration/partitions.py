"""Days as Dagster sees them: one partition a UTC day, for backfills of what dbt computes.

The days inside the marts are org-local; a partition only names the stretch of business time whose
readings are recomputed. An ordinary pass records itself under its own day.
"""

from datetime import date, datetime, timedelta

from dagster import AssetExecutionContext, DailyPartitionsDefinition

from warehouse.imports.layouts import EARLIEST

DAYS = DailyPartitionsDefinition(start_date=EARLIEST.strftime("%Y-%m-%d"), end_offset=1)
"""From before the first reading anyone may import, through today."""

RANGE_FROM = "dagster/asset_partition_range_start"
RANGE_TO = "dagster/asset_partition_range_end"
"""Tags of a run over several partitions."""


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
