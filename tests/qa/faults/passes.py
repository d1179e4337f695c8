"""A pipeline run without Dagster, for tests of its steps.

Dagster's part (order, retries, records) takes seconds a run, and waits 15 s while PostgreSQL is
away. Tests with kills use the product's own run, and so test its order too.
"""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from orchestration.building.executor import build
from orchestration.building.manifests import earning_statements
from orchestration.building.observing import WARNS
from orchestration.building.results import explain
from orchestration.resources.warehouse import WarehouseWriter
from warehouse.clock import Clock
from warehouse.control import Run, begin_run, promote
from warehouse.landing.in_bucket import BucketLanding
from warehouse.landing.in_folder import FolderLanding
from warehouse.operational.store import OperationalStore
from warehouse.publication import base, marts, retention
from warehouse.publication import publish as publishing
from warehouse.publication.previous import PreviousPublication
from warehouse.publication.publish import publish
from warehouse.raw.ingest import ingest_registered
from warehouse.raw.operational_copy import copy_operational
from warehouse.registration.register import register_landed
from warehouse.settings import Settings


class NotGreenError(Exception):
    """A model or a data test failed, including those of tables that only observe."""


def compute(settings: Settings, run: Run) -> None:
    """Build as the product does. Raises NotGreenError."""
    results = build(settings, run)
    if not all(result.is_green and result.status != WARNS for result in results):
        raise NotGreenError(explain(results))


def run_pipeline_job(settings: Settings, store: OperationalStore) -> None:
    """Register, copy, ingest, build, publish, promote. Publications age by business time."""
    register_landed(store, settings)
    warehouse = WarehouseWriter(settings, store, print)
    try:
        with warehouse.connection() as connection:
            copy_operational(store, connection)
        with warehouse.connection() as connection:
            ingest_registered(store, settings, connection)
        with warehouse.connection() as connection:
            run = begin_run(connection, as_of=settings.clock())
        compute(settings, run)
        with warehouse.connection() as connection:
            publish(
                settings,
                connection,
                as_of=run.as_of,
                earning=earning_statements(run),
                real_clock=settings.clock,
            )
            promote(connection, run)
    finally:
        warehouse.release()


def retire_at(patch: pytest.MonkeyPatch, clock: Clock) -> None:
    """Let publications retire by another clock, so that some retire within a few runs."""

    def retire(publications: Path, now: datetime) -> list[str]:
        return retention.retire(publications, clock())

    patch.setattr(publishing, "retire", retire)


def publish_in_pieces(patch: pytest.MonkeyPatch) -> None:
    """Split even few rows into files, as if there were many: every other run writes a new base."""
    patch.setattr(base, "FEW_ROWS", 0)
    patch.setattr(PreviousPublication, "rows_of_base", lambda _: 0)
    patch.setattr(marts, "LEAST_ROWS", 1)


def compact_without_waiting_for_midnight(patch: pytest.MonkeyPatch) -> None:
    """Let every ingestion of this process compact the present day as if it were over."""

    for kind in (FolderLanding, BucketLanding):

        def compact(
            landing: Any, today: date, of_the_product: Callable[..., bool] = kind.compact
        ) -> bool:
            return of_the_product(landing, today + timedelta(days=1))

        patch.setattr(kind, "compact", compact)
