"""The right to write the warehouse, acquired when a run first needs it and held until it ends.

The steps of a run (operational copy, ingestion, dbt, publication) need one state of the warehouse,
so no other run may write between them. The lock is an flock: a killed run releases it. Where other
machines could build the same shard, the run also needs a lease to publish.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import duckdb
from dagster import InitResourceContext, resource

from orchestration.running.progress import Progress
from warehouse.clock import system_clock
from warehouse.connection import OnWait, attach_warehouse, warehouse_lock
from warehouse.control import Run
from warehouse.control.records import create_tables, last_published
from warehouse.lake.writing import bring
from warehouse.operational.store import OperationalStore
from warehouse.publication.retention import retire
from warehouse.raw.inserting import last_number
from warehouse.registration.order import newest_number
from warehouse.settings import Settings
from warehouse.shards.lease import Lease, lease


class WarehouseWriter:
    green: Run | None = None
    """The run whose models were all built and tested green under this lock, so it can be published.
    """
    has_ingested = False
    """Whether this run ingested what there is, after its copy may have emptied the raw tables."""
    unsound: frozenset[str] = frozenset()
    """Observing tables of that run whose tests warn: they stay as published."""

    def __init__(self, settings: Settings, store: OperationalStore, on_wait: OnWait) -> None:
        self._settings = settings
        self._store = store
        self._on_wait = on_wait
        self._stack = ExitStack()
        self._lease: Lease | None = None

    def hold(self) -> Lease:
        """Acquire lock and lease once per run; waits for another run, with a message.

        Publications past their time go first, as a run that fails on a full disk removes none. If
        that fails, publishing has its reason.
        """
        if self._lease is None:
            self._stack.enter_context(warehouse_lock(self._settings, self._on_wait))
            with suppress(OSError):
                retire(self._settings.publications_path, system_clock())
            self._lease = self._stack.enter_context(
                lease(self._settings, self._store, self._on_wait)
            )
        return self._lease

    @contextmanager
    def connection(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open the warehouse for one step. It closes in between, so that dbt can open it."""
        self.hold()
        with attach_warehouse(self._settings) as connection:
            yield connection

    def lacks_batches(self) -> bool:
        """Return whether a first build lacks registered batches, which may be published before.

        Where raw tables were emptied, the archive fills them first, then the waiting batches.
        """
        with self._store.read_session() as session:
            newest = newest_number(session)
        with self.connection() as connection:
            create_tables(connection)
            return last_published(connection) is None and last_number(connection) < newest

    def release(self) -> None:
        """Release lock and lease. The lake follows afterwards, because other runs need not wait."""
        self._stack.close()
        if self.green is not None:
            bring(self._settings, self._store)


@resource(required_resource_keys={"settings", "store", "on_progress"})
def warehouse(context: InitResourceContext) -> Iterator[WarehouseWriter]:
    """Yield the run's writer, and release the lock afterwards."""

    def on_wait(message: str) -> None:
        if context.log is not None:
            context.log.warning(message)
        context.resources.on_progress(Progress(step="wait", note=message))

    writer = WarehouseWriter(context.resources.settings, context.resources.store, on_wait)
    try:
        yield writer
    finally:
        writer.release()
