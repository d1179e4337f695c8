"""The assembly: assets, checks, jobs, schedules, sensors and resources of one installation.

Takes overrides of resources, for tests and for runs that want to hear of their progress. What an
asset does, or when a job runs, is said in `defs`.
"""

from collections.abc import Iterator
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
from dagster._core.storage.tags import PARTITION_NAME_TAG
from structlog.contextvars import bound_contextvars

from orchestration.building.manifests import manifest_json
from orchestration.defs import shards
from orchestration.defs.dbt.assets import CONTROL, dbt_models
from orchestration.defs.ingest import ingestion
from orchestration.defs.jobs import JOBS, SCHEDULES, SENSORS
from orchestration.defs.operational import operational_copy, registration
from orchestration.defs.publish import CHECKS, publication_of
from orchestration.defs.scoring import comment_scoring
from orchestration.defs.scrape import SCRAPES, comments
from orchestration.partitions import (
    BY_SHARD,
    Partitions,
    days_since,
    first_day,
    parted_by_shard,
)
from orchestration.resources.providers import open_provider
from orchestration.resources.warehouse import warehouse
from orchestration.running.logs import LOGGERS
from orchestration.running.progress import silent
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.settings import MAIN_SHARD, Settings


# They follow from the run itself, so that it makes no difference who starts it and which launcher
# carries it where: a process of this machine, a container, a pod.
def settings_of_run(settings: Settings) -> ResourceDefinition:
    """Return what hands out `settings` for the shard that a run's partition names, else `main`."""

    def of_run(context: InitResourceContext) -> Settings:
        tags = context.run.tags if context.run else {}
        return settings.of_shard(tags.get(PARTITION_NAME_TAG, MAIN_SHARD))

    return ResourceDefinition(of_run)


@resource(required_resource_keys={"settings"})
def store(context: InitResourceContext) -> Iterator[OperationalStore]:
    """Attach PostgreSQL (starting the embedded server if it is down) and let go at the end.

    What is logged in between says of which run it is.
    """
    log_context = bound_contextvars(run_id=context.run.run_id if context.run else None)
    with log_context, operational_store(context.resources.settings) as attached:
        yield attached


def build_definitions(
    settings: Settings | None = None, *, by_shard: bool = False, **overrides: Any
) -> Definitions:
    """Assemble everything for `settings` (default: the environment's).

    `by_shard`: for all shards, each in runs of its own, and not for that of the settings.
    `overrides` replace resources by name: settings, store, warehouse, open_provider, on_progress.
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
    """Return the models' asset: to make it of dbt's manifest takes most of an assembly."""
    return dbt_models(manifest_json(), partitions)
