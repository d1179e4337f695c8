"""From landed batches to the models' inputs: registration, operational copy, ingestion, scoring."""

from collections.abc import Iterator

from dagster import (
    AssetExecutionContext,
    AssetKey,
    MaterializeResult,
    ResourceParam,
    asset,
    multi_asset,
)

from orchestration.partitions import SHARDS
from orchestration.resources.warehouse import WarehouseWriter
from orchestration.running import steps
from orchestration.running.progress import OnProgress, Progress
from orchestration.running.steps import key_of, spec_of
from orchestration.scraping.failures import database_faults
from warehouse.catalogue.operational import OPERATIONAL
from warehouse.catalogue.raw import COPIED, INGESTED, SCORED
from warehouse.comment_scoring.chosen import model_or_unscored
from warehouse.comment_scoring.step import BUDGET_SECONDS, score_comments
from warehouse.operational.store import OperationalStore
from warehouse.platforms import PLATFORMS
from warehouse.raw.ingest import ingest_registered
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
    return MaterializeResult(metadata={steps.BATCHES: len(registered)})


@multi_asset(
    specs=[
        spec_of(table, deps=[REGISTRY], group_name="operational")
        for table in (*OPERATIONAL, *COPIED)
    ],
    partitions_def=SHARDS,
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
        yield MaterializeResult(asset_key=key_of(table), metadata={steps.ROWS: rows[table.name]})


@multi_asset(
    specs=[
        spec_of(table, deps=[REGISTRY, AssetKey(["operational", "videos"])], group_name="ingest")
        for table in INGESTED
    ],
    partitions_def=SHARDS,
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
        warehouse.has_ingested = True
        total = {
            table.name: connection.execute(table.row_count).fetchall()[0][0] for table in INGESTED
        }
    for table in INGESTED:
        yield MaterializeResult(
            asset_key=key_of(table),
            metadata={steps.ROWS: total[table.name], steps.BATCHES: len(batches)},
        )


@multi_asset(
    specs=[
        spec_of(
            table,
            deps=[AssetKey(["raw", "comments"]), AssetKey(["operational", "comment_settings"])],
            group_name="scoring",
            kinds=frozenset({"python"}),
        )
        for table in SCORED
    ],
    partitions_def=SHARDS,
)
def comment_scoring(
    context: AssetExecutionContext,
    settings: ResourceParam[Settings],
    warehouse: ResourceParam[WarehouseWriter],
    on_progress: ResourceParam[OnProgress],
) -> Iterator[MaterializeResult[None]]:
    """Score the comments since the last pipeline run, within a budget of time."""

    def on_problem(message: str) -> None:
        context.log.error(message)
        on_progress(Progress("problem", note=message))

    on_progress(Progress("score comments"))
    model = model_or_unscored(settings.sentiment_model, on_problem)
    with warehouse.connection() as connection:
        scored = score_comments(connection, model, budget_seconds=BUDGET_SECONDS)
        total = {table.name: len(connection.table(table.relation)) for table in SCORED}
    if scored.waiting:
        message = f"comment texts that wait for the next run to be scored: {scored.waiting:,}"
        context.log.warning(message)
        on_progress(Progress("wait", note=message))
    for table in SCORED:
        yield MaterializeResult(asset_key=key_of(table), metadata={steps.ROWS: total[table.name]})
