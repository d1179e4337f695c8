"""Dagster's partitions: one for each shard; most installations have only `main`.

A run computes one shard, a backfill several. Days are a tag and not a second dimension: Dagster
makes ranges of two dimensions along the longer one, so a day of eight shards would be one run of
eight warehouses.
"""

from datetime import date

from dagster import (
    AssetExecutionContext,
    DagsterInstance,
    DagsterRunStatus,
    DynamicPartitionsDefinition,
    Failure,
    PartitionedConfig,
    PartitionsDefinition,
    RunsFilter,
)

from orchestration.running.instance import SHARD
from orchestration.running.logs import TO_STDERR

SHARD_DAYS = "tracker/days"
"""Tag of a run that recomputes a range of days: `2026-03-01/2026-03-31`."""
PARTITION = "dagster/partition"
"""Tag with the partition of a run, which Dagster documents."""
RANGE_FROM = "dagster/asset_partition_range_start"
"""Tag of a run over several partitions."""
WAITING = (DagsterRunStatus.QUEUED, DagsterRunStatus.NOT_STARTED)
_NAME = "shard"
SHARDS = DynamicPartitionsDefinition(name=_NAME)
OF_SHARD: PartitionedConfig[PartitionsDefinition[str]] = PartitionedConfig(
    partitions_def=SHARDS,
    run_config_for_partition_key_fn=lambda _shard: {"loggers": TO_STDERR},
    tags_for_partition_key_fn=lambda shard: {SHARD: shard},
)
"""Config of a job whose runs compute a shard."""


def shards_in(instance: DagsterInstance) -> list[str]:
    """Return the shards that Dagster has as partitions."""
    return sorted(instance.get_dynamic_partitions(_NAME))


def add_partition(instance: DagsterInstance, shard: str) -> None:
    """Make a shard known, as the sensor `shards` does."""
    instance.add_dynamic_partitions(_NAME, [shard])


def cancel_runs_of_days(instance: DagsterInstance) -> list[str]:
    """Cancel queued runs whose partition is a day, as in version 2.0.0; return their ids.

    They would fail. Sensors request again what waits.
    """
    queued = instance.get_runs(RunsFilter(statuses=list(WAITING)))
    shards = {*shards_in(instance), None}
    of_days = [
        run
        for run in queued
        if SHARD not in run.tags
        and (RANGE_FROM in run.tags or run.tags.get(PARTITION) not in shards)
    ]
    for run in of_days:
        instance.report_run_canceled(run, "version 2.0.0 queued it; days are no partitions now")
    return [run.run_id for run in of_days]


def days_tag(first: date, last: date) -> dict[str, str]:
    """Return the tag of a run that recomputes a range of days."""
    return {SHARD_DAYS: f"{first}/{last}"}


def days_to_recompute(context: AssetExecutionContext) -> tuple[date | None, date | None]:
    """Return the first and last UTC day of a backfill, or (None, None) in an ordinary run.

    Raises Failure for a run without its partition.
    """
    if not context.has_partition_key and not context.has_partition_key_range:
        raise Failure("choose a partition: a shard, such as main", allow_retries=False)
    days = context.run.tags.get(SHARD_DAYS)
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
