"""A pass of the pipeline, step after step as `tracker run` makes it, without Dagster around it.

Dagster's own part (order, retries, records) takes seconds a pass and holds no data. The steps are
the product's, under the names by which `steps` finds them.
"""

from datetime import date, timedelta
from pathlib import Path

import pytest

from orchestration.lib.dbt import build, explain
from orchestration.resources.warehouse import WarehouseWriter
from warehouse.control import advance, begin_run
from warehouse.landing import compaction
from warehouse.operational.store import OperationalStore
from warehouse.publication.publish import publish
from warehouse.raw import ingest
from warehouse.raw.ingest import ingest_registered
from warehouse.raw.operational_copy import copy_operational
from warehouse.registration.register import register_landed
from warehouse.settings import Settings


class NotGreenError(Exception):
    """dbt ended with a failed model."""


def make_pass(settings: Settings, store: OperationalStore, *, full_refresh: bool = False) -> None:
    """Register, copy, ingest, compute, publish, advance.

    Publications age by business time, so that a series of passes sees some of them retire.
    """
    register_landed(store, settings)
    warehouse = WarehouseWriter(settings, print)
    try:
        with warehouse.connection() as connection:
            copy_operational(store, connection)
        with warehouse.connection() as connection:
            ingest_registered(store, settings, connection)
        with warehouse.connection() as connection:
            run = begin_run(connection, as_of=settings.clock(), full_refresh=full_refresh)
        results = build(settings, full_refresh=run.is_full_refresh)
        if not all(result.is_green for result in results):
            raise NotGreenError(explain(results))
        with warehouse.connection() as connection:
            publish(settings, connection, as_of=run.as_of, real_clock=settings.clock)
            advance(connection, run)
    finally:
        warehouse.release()


def compact_without_waiting_for_midnight(patch: pytest.MonkeyPatch) -> None:
    """Let every ingestion of this process compact the present day as if it were over."""

    def compact(landing: Path, today: date) -> list[Path]:
        return compaction.compact(landing, today + timedelta(days=1))

    patch.setattr(ingest, "compact", compact)
