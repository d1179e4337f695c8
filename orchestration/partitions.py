"""Dagster's partitions: UTC days or, where it computes all shards, shards.

One partition per UTC day, for backfills of what dbt computes. The days inside the marts are
org-local; a partition only names the business time whose readings are recomputed. An ordinary run
records itself under its own day.

With TRACKER_DAGSTER_SHARDS there is one partition per shard: a run computes one shard, a backfill
several. Days are then a tag and not a second dimension. Dagster makes ranges of two dimensions
along the longer one, so a day of eight shards would be one run of eight warehouses.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import duckdb
from dagster import (
    AssetExecutionContext,
    AssetsDefinition,
    BackfillPolicy,
    DailyPartitionsDefinition,
    DynamicPartitionsDefinition,
    Failure,
    PartitionsDefinition,
    map_asset_specs,
)

from warehouse.publication.info import read_info
from warehouse.publication.layout import CURRENT
from warehouse.settings import Settings

RANGE_FROM = "dagster/asset_partition_range_start"
RANGE_TO = "dagster/asset_partition_range_end"
"""Tags of a run over several partitions."""
SHARD_DAYS = "tracker/days"
"""Tag of a shard's run over a range of days: `2026-03-01/2026-03-31`."""
SHARDS = DynamicPartitionsDefinition(name="shard")


@dataclass(frozen=True)
class Partitions:
    """Partitions of a computed asset, and how many of them a backfill's run covers (None: one)."""

    definition: PartitionsDefinition
    policy: BackfillPolicy | None


BY_SHARD = Partitions(SHARDS, None)


def parted_by_shard(assets: Iterable[AssetsDefinition]) -> Iterable[AssetsDefinition]:
    return map_asset_specs(lambda spec: spec.replace_attributes(partitions_def=SHARDS), assets)


def first_day(settings: Settings) -> date:
    """Return the day of the earliest published reading, or today (by business time).

    If today is before all readings, returns today.
    """
    now, first = settings.clock(), _first_reading_at(settings)
    return min(first or now, now).date()


def days_since(first: date) -> Partitions:
    """Return the days from `first` through today; a backfill is a single run.

    A process keeps the days that it started with: earlier days added by an import appear in the
    next process.
    """
    days = DailyPartitionsDefinition(start_date=first.isoformat(), end_offset=1)
    return Partitions(days, BackfillPolicy.single_run())


def partition_of(instant: datetime) -> str:
    """Return the partition of a run at `instant` (business time)."""
    return instant.strftime("%Y-%m-%d")


def range_tags(first: date, last: date) -> dict[str, str]:
    """Return the tags of a run over a range of days, as Dagster's own backfills set them."""
    return {RANGE_FROM: first.isoformat(), RANGE_TO: last.isoformat()}


def days_to_recompute(
    context: AssetExecutionContext, as_of: datetime
) -> tuple[date | None, date | None]:
    """Return the first and last UTC day of a backfill, or (None, None) in an ordinary run.

    Raises Failure for a run without its partition.
    """
    if not context.has_partition_key and not context.has_partition_key_range:
        raise Failure(
            f"choose a partition: {partition_of(as_of)} for an ordinary run, a range of days for a"
            " backfill, a shard where one Dagster computes several",
            allow_retries=False,
        )
    if context.assets_def.partitions_def == SHARDS:
        return _tagged(context.run.tags.get(SHARD_DAYS))
    window = context.partition_time_window
    first, last = window.start.date(), (window.end - timedelta(days=1)).date()
    is_range = RANGE_FROM in context.run.tags
    if first == last == as_of.date() and not is_range:
        return None, None
    return first, last


def _tagged(days: str | None) -> tuple[date | None, date | None]:
    if days is None:
        return None, None
    try:
        first, last = map(date.fromisoformat, days.split("/"))
    except ValueError as error:
        raise Failure(
            f"tag {SHARD_DAYS}: write FIRST/LAST, such as 2026-03-01/2026-03-31",
            allow_retries=False,
        ) from error
    return first, last


def _first_reading_at(settings: Settings) -> datetime | None:
    """Return None also for an unreadable publication: the next run makes a new one.

    This opens the file alone: the views that a reader gets take ten times as long to make. Where
    this process has a reader, its connection's configuration is locked.
    """
    current = settings.publications_path / CURRENT
    try:
        with duckdb.connect(current.resolve(), read_only=True, config={"threads": 1}) as connection:
            first = read_info(connection).first_reading_at
            return first and first.astimezone(UTC)
    except (OSError, duckdb.Error):
        return None
