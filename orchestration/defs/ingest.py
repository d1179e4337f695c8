"""Ingests registered batches into the append-only raw tables, each exactly once."""

from collections.abc import Iterator

from dagster import AssetKey, MaterializeResult, ResourceParam, multi_asset

from orchestration.defs.operational import REGISTRY
from orchestration.resources.warehouse import WarehouseWriter
from orchestration.running import metadata
from orchestration.running.progress import OnProgress, Progress
from orchestration.running.table_specs import key_of, spec_of
from orchestration.scraping.failures import database_faults
from warehouse.catalogue.raw import INGESTED
from warehouse.operational.store import OperationalStore
from warehouse.raw.ingest import ingest_registered
from warehouse.settings import Settings


@multi_asset(
    specs=[
        spec_of(table, deps=[REGISTRY, AssetKey(["operational", "videos"])], group_name="ingest")
        for table in INGESTED
    ]
)
def ingestion(
    settings: ResourceParam[Settings],
    store: ResourceParam[OperationalStore],
    warehouse: ResourceParam[WarehouseWriter],
    on_progress: ResourceParam[OnProgress],
) -> Iterator[MaterializeResult[None]]:
    """Ingest every registered batch: its rows and its id commit together."""
    on_progress(Progress("ingest"))
    with warehouse.connection() as connection, database_faults():
        batches = ingest_registered(store, settings, connection)
        total = {table.name: len(connection.table(table.relation)) for table in INGESTED}
    for table in INGESTED:
        yield MaterializeResult(
            asset_key=key_of(table),
            metadata={metadata.ROWS: total[table.name], metadata.BATCHES: len(batches)},
        )
