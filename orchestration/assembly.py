"""Builds Dagster's definitions of one installation.

Tests and runs that report progress override resources. What an asset does, and when a job runs, is
in `defs`.
"""

from collections.abc import Iterator
from contextlib import nullcontext
from functools import cache
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
from orchestration.defs.dbt.assets import CONTROL, dbt_models
from orchestration.defs.ingest import comment_scoring, ingestion, operational_copy, registration
from orchestration.defs.jobs import JOBS, SCHEDULES
from orchestration.defs.publish import CHECKS, publication_of
from orchestration.defs.scrape import SCRAPES, comments
from orchestration.defs.sensors import SENSORS
from orchestration.partitions import PARTITION
from orchestration.resources.providers import open_provider
from orchestration.resources.warehouse import warehouse
from orchestration.running.logs import LOGGERS
from orchestration.running.progress import silent
from orchestration.running.runs import run_lock
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.settings import MAIN_SHARD, Settings


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


def build_definitions(settings: Settings | None = None, **overrides: Any) -> Definitions:
    """Build all definitions for `settings` (default: from the environment).

    `overrides` replace resources by name: settings, store, warehouse, open_provider, on_progress.
    """
    settings = settings or Settings()
    models = _models()
    marts = models.keys - {CONTROL.key}
    return Definitions(
        assets=[
            *SCRAPES,
            comments,
            registration,
            operational_copy,
            ingestion,
            comment_scoring,
            models,
            publication_of(marts),
        ],
        asset_checks=CHECKS,
        jobs=JOBS,
        schedules=SCHEDULES,
        sensors=SENSORS,
        executor=in_process_executor,
        loggers=LOGGERS,
        resources={
            "settings": settings_of_run(settings),
            "store": store,
            "warehouse": warehouse,
            "open_provider": open_provider,
            "on_progress": silent,
            **overrides,
        },
    )


@cache
def _models() -> AssetsDefinition:
    """Cache the models' asset: reading dbt's manifest is most of the time to build definitions."""
    return dbt_models(manifest_json())
