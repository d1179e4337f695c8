"""Registration (landed batches to PostgreSQL) and the operational copy (PostgreSQL to DuckDB)."""

from collections.abc import Iterator

from dagster import AssetKey, MaterializeResult, ResourceParam, asset, multi_asset

from orchestration.resources.warehouse import WarehouseWriter
from orchestration.running import metadata
from orchestration.running.progress import OnProgress, Progress
from orchestration.running.table_specs import key_of, spec_of
from orchestration.scraping.failures import database_faults
from warehouse.catalogue.operational import OPERATIONAL
from warehouse.catalogue.raw import COPIED
from warehouse.operational.store import OperationalStore
from warehouse.platforms import PLATFORMS
from warehouse.raw.operational_copy import copy_operational
from warehouse.registration.register import register_landed
from warehouse.settings import Settings
from warehouse.shards.members import members_now

REGISTRY = AssetKey(["postgres", "registry"])


@asset(
    key=REGISTRY,
    deps=[["landing", source] for source in (*PLATFORMS, "comments")],
    group_name="operational",
    kinds={"postgres"},
    description="The video registry and profile fields: registers each landed batch in PostgreSQL "
    "exactly once, and writes the owners of its readings beside it.",
)
def registration(
    settings: ResourceParam[Settings],
    store: ResourceParam[OperationalStore],
    on_progress: ResourceParam[OnProgress],
) -> MaterializeResult[None]:
    """Register every landed batch, oldest first."""
    on_progress(Progress("register"))
    with database_faults():
        registered = register_landed(store, settings)
    return MaterializeResult(metadata={metadata.BATCHES: len(registered)})


@multi_asset(
    specs=[
        spec_of(table, deps=[REGISTRY], group_name="operational")
        for table in (*OPERATIONAL, *COPIED)
    ]
)
def operational_copy(
    settings: ResourceParam[Settings],
    store: ResourceParam[OperationalStore],
    warehouse: ResourceParam[WarehouseWriter],
    on_progress: ResourceParam[OnProgress],
) -> Iterator[MaterializeResult[None]]:
    """Replace operational.* from one snapshot of PostgreSQL."""
    on_progress(Progress("copy"))
    with warehouse.connection() as connection, database_faults():
        rows = copy_operational(store, connection, members_now(store, settings))
    for table in (*OPERATIONAL, *COPIED):
        yield MaterializeResult(asset_key=key_of(table), metadata={metadata.ROWS: rows[table.name]})
