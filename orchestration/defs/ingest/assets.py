"""Registered batches into the append-only raw tables, each exactly once."""

from collections.abc import Iterator

from dagster import AssetSpec, MaterializeResult, ResourceParam, multi_asset

from orchestration.defs.operational.assets import REGISTRY
from orchestration.resources.warehouse import WarehouseWriter
from orchestration.running import metadata
from orchestration.running.progress import OnProgress, Progress
from orchestration.scraping.failures import database_faults
from warehouse.operational.store import OperationalStore
from warehouse.raw.ingest import ingest_registered
from warehouse.settings import Settings

RAW = {
    "video_snapshots": "every reading of a post's counters, as observed",
    "account_snapshots": "every reading of a profile's counters, as observed",
    "scrape_outcomes": "how every look at an account or a post ended",
    "comments": "every comment as a walk showed it",
    "comment_walks": "how every walk through a post's comments ended",
    "batches": "the ingested batches; batch_seq is the models' watermark",
}


@multi_asset(
    specs=[
        AssetSpec(
            ["raw", table],
            deps=[REGISTRY, ["operational", "videos"]],
            group_name="ingest",
            kinds={"duckdb"},
            description=f"Append-only: {what}.",
        )
        for table, what in RAW.items()
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
        total = {table: len(connection.table(f"raw.{table}")) for table in RAW}
    for table in RAW:
        yield MaterializeResult(
            asset_key=["raw", table],
            metadata={metadata.ROWS: total[table], metadata.BATCHES: len(batches)},
        )
