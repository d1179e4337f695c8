"""Builds Dagster's definitions of one installation.

Tests and runs that report progress override resources. What an asset does, and when a job runs, is
in `defs`.
"""

from collections.abc import Iterator
from contextlib import nullcontext
from functools import lru_cache
from typing import Any

from dagster import (
    AssetsDefinition,
    Definitions,
    InitResourceContext,
    ResourceDefinition,
    in_process_executor,
    resource,
)
from structlog.contextvars import bound_contextvars

from orchestration.building.manifests import manifest_json
from orchestration.defs import shards
from orchestration.defs.dbt.assets import CONTROL, dbt_models
from orchestration.defs.ingest import comment_scoring, ingestion, operational_copy, registration
from orchestration.defs.jobs import JOBS, SCHEDULES
from orchestration.defs.publish import CHECKS, publication_of
from orchestration.defs.scrape import SCRAPES, comments
from orchestration.defs.sensors import SENSORS
from orchestration.partitions import BY_SHARD, Partitions, days_since, first_day, parted_by_shard
from orchestration.resources.providers import open_provider
from orchestration.resources.warehouse import warehouse
from orchestration.running.logs import LOGGERS
from orchestration.running.progress import silent
from orchestration.running.runs import run_lock
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.settings import MAIN_SHARD, Settings

PARTITION = "dagster/partition"
"""Tag with the partition of a run, which Dagster documents."""


# Settings follow from the run itself, so any process and any run launcher (local process,
# container, pod) can execute it.
def settings_of_run(settings: Settings) -> ResourceDefinition:
    """Return a resource with `settings` of the shard in the run's partition, else of `main`."""

    def of_run(context: InitResourceContext) -> Settings:
        tags = context.run.tags if context.run else {}
        return settings.of_shard(tags.get(PARTITION, MAIN_SHARD))

    return ResourceDefinition(of_run)


@resource(required_resource_keys={"settings"})
def store(context: InitResourceContext) -> Iterator[OperationalStore]:
    """Attach PostgreSQL (starting the embedded server if it is down) and detach at the end.

    A run holds its lock meanwhile, by which others see that its process lives. Log lines in between
    carry its id.
    """
    run_id = context.run.run_id if context.run else None
    log_context = bound_contextvars(run_id=run_id)
    with (
        log_context,
        operational_store(context.resources.settings) as attached,
        run_lock(attached, run_id) if run_id else nullcontext(),
    ):
        yield attached


def build_definitions(
    settings: Settings | None = None, *, by_shard: bool = False, **overrides: Any
) -> Definitions:
    """Build all definitions for `settings` (default: from the environment).

    `by_shard` makes definitions for all shards, each in its own runs. `overrides` replace resources
    by name: settings, store, warehouse, open_provider, on_progress.
    """
    settings = settings or Settings()
    partitions = BY_SHARD if by_shard else days_since(first_day(settings))
    models = _models(partitions)
    marts = models.keys - {CONTROL.key}
    in_warehouse = [operational_copy, ingestion, comment_scoring]
    return Definitions(
        assets=[
            *SCRAPES,
            comments,
            registration,
            *(parted_by_shard(in_warehouse) if by_shard else in_warehouse),
            models,
            publication_of(marts, partitions),
        ],
        asset_checks=CHECKS,
        jobs=shards.JOBS if by_shard else JOBS,
        schedules=shards.SCHEDULES if by_shard else SCHEDULES,
        sensors=shards.SENSORS if by_shard else SENSORS,
        executor=in_process_executor,
        loggers=LOGGERS,
        resources={
            "settings": settings_of_run(settings) if by_shard else settings,
            "store": store,
            "warehouse": warehouse,
            "open_provider": open_provider,
            "on_progress": silent,
            **overrides,
        },
    )


@lru_cache(maxsize=1)
def _models(partitions: Partitions) -> AssetsDefinition:
    """Cache the models' asset: reading dbt's manifest is most of the time to build definitions."""
    return dbt_models(manifest_json(), partitions)
