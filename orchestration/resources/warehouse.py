"""The right to write the warehouse, taken at a run's first need and kept until the run ends.

The steps of a run (operational copy, ingestion, dbt, publication) belong to one state of the
warehouse, so no other run may write between them. The lock is an flock: a killed run drops it.
Where other machines could build the same, the run has a lease too: without it nothing is published.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import duckdb
from dagster import InitResourceContext, resource

from orchestration.running.progress import Progress
from warehouse.connection import OnWait, attach_warehouse, warehouse_lock
from warehouse.control import Run
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings
from warehouse.shards.lease import Lease, lease


class WarehouseWriter:
    """One run's access to the warehouse."""

    green: Run | None = None
    """The run whose models were all built and tested green, under this lock: publishable."""
    unsound: frozenset[str] = frozenset()
    """Tables of that run that only observe and do not hold: they stay as they were published."""

    def __init__(self, settings: Settings, store: OperationalStore, on_wait: OnWait) -> None:
        self._settings = settings
        self._store = store
        self._on_wait = on_wait
        self._held = ExitStack()
        self._lease: Lease | None = None

    def hold(self) -> Lease:
        """Take lock and lease unless this run has them; wait for another run with a message."""
        if self._lease is None:
            self._held.enter_context(warehouse_lock(self._settings, self._on_wait))
            self._lease = self._held.enter_context(
                lease(self._settings, self._store, self._on_wait)
            )
        return self._lease

    @contextmanager
    def connection(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open the warehouse for one step. Closed in between, so that dbt can open it."""
        self.hold()
        with attach_warehouse(self._settings) as connection:
            yield connection

    def release(self) -> None:
        """Give back what is held: the run is over."""
        self._held.close()


@resource(required_resource_keys={"settings", "store", "on_progress"})
def warehouse(context: InitResourceContext) -> Iterator[WarehouseWriter]:
    """Hand out the run's writer; whatever happened, the lock is free afterwards."""

    def on_wait(message: str) -> None:
        if context.log is not None:
            context.log.warning(message)
        context.resources.on_progress(Progress(step="wait", note=message))

    writer = WarehouseWriter(context.resources.settings, context.resources.store, on_wait)
    try:
        yield writer
    finally:
        writer.release()
