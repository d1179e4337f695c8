"""The assembly: assets, checks, jobs, schedules, sensors and resources of one installation.

Takes overrides of resources, for tests and for runs that want to hear of their progress. What an
asset does, or when a job runs, is said in `defs`.
"""

from functools import lru_cache
from typing import Any

from dagster import AssetsDefinition, Definitions, PartitionsDefinition, in_process_executor

from orchestration.building.manifests import manifest_json
from orchestration.defs.dbt.assets import CONTROL, dbt_models
from orchestration.defs.ingest import ingestion
from orchestration.defs.jobs import JOBS, SCHEDULES, SENSORS
from orchestration.defs.operational import operational_copy, registration
from orchestration.defs.publish import CHECKS, publication_of
from orchestration.defs.scoring import comment_scoring
from orchestration.defs.scrape import SCRAPES, comments
from orchestration.partitions import days_since, first_day
from orchestration.resources.operational import store
from orchestration.resources.providers import open_provider
from orchestration.resources.warehouse import warehouse
from orchestration.running.logs import LOGGERS
from orchestration.running.passes import silent
from warehouse.settings import Settings


def build_definitions(settings: Settings | None = None, **overrides: Any) -> Definitions:
    """Assemble everything for `settings` (default: the environment's).

    `overrides` replace resources by name: settings, store, warehouse, open_provider, on_progress.
    """
    settings = settings or Settings()
    days = days_since(first_day(settings))
    models = _models(days)
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
            publication_of(marts, days),
        ],
        asset_checks=CHECKS,
        jobs=JOBS,
        schedules=SCHEDULES,
        sensors=SENSORS,
        executor=in_process_executor,
        loggers=LOGGERS,
        resources={
            "settings": settings,
            "store": store,
            "warehouse": warehouse,
            "open_provider": open_provider,
            "on_progress": silent,
            **overrides,
        },
    )


@lru_cache(maxsize=1)
def _models(days: PartitionsDefinition) -> AssetsDefinition:
    """Return the models' asset: to make it of dbt's manifest takes most of an assembly."""
    return dbt_models(manifest_json(), days)
