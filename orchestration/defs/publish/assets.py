"""From green marts to the publication that readers see; then the run becomes the last published."""

from collections.abc import Iterable, Iterator
from datetime import timedelta

from dagster import (
    AssetKey,
    AssetsDefinition,
    AssetSpec,
    BackfillPolicy,
    Failure,
    FreshnessPolicy,
    MaterializeResult,
    PartitionsDefinition,
    ResourceParam,
    multi_asset,
)

from orchestration.resources.warehouse import WarehouseWriter
from orchestration.running import metadata
from orchestration.running.progress import OnProgress, Progress
from orchestration.running.publishing import publish_run
from warehouse.catalogue.control import PUBLISHED
from warehouse.catalogue.past import PAST as KEPT
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings

PUBLICATION = AssetKey(["publications", "current"])
PAST = AssetSpec(
    ["control", "past"],
    deps=[PUBLICATION],
    group_name="control",
    kinds={"duckdb"},
    description="What the next run continues from, which is why no mart of this one is made of it. "
    "One asset for its tables: " + ", ".join(past.relation for past in (PUBLISHED, *KEPT)) + ".",
)
SERVED_FRESH = FreshnessPolicy.time_window(
    warn_window=timedelta(hours=3), fail_window=timedelta(hours=26)
)
"""A rollup follows whatever lands and runs at least daily; older than that, something is stuck."""


def publication_of(marts: Iterable[AssetKey], days: PartitionsDefinition) -> AssetsDefinition:
    """Return the publication of all marts, and the past that goes with it."""
    spec = AssetSpec(
        PUBLICATION,
        deps=sorted(marts),
        group_name="publish",
        kinds={"duckdb", "parquet"},
        freshness_policy=SERVED_FRESH,
        description="The immutable database that the API and analysts read: "
        "publications/current.duckdb.",
    )

    @multi_asset(
        specs=[spec, PAST],
        partitions_def=days,
        backfill_policy=BackfillPolicy.single_run(),
    )
    def publication(
        settings: ResourceParam[Settings],
        store: ResourceParam[OperationalStore],
        warehouse: ResourceParam[WarehouseWriter],
        on_progress: ResourceParam[OnProgress],
    ) -> Iterator[MaterializeResult[None]]:
        """Publish the marts, then advance the control table: what was published is done."""
        on_progress(Progress("publish"))
        run = warehouse.green
        if run is None:
            raise Failure("only a run that built all models green can publish: use a job")
        with warehouse.connection() as connection:
            published = publish_run(settings, store, connection, run)
        yield MaterializeResult(
            asset_key=PUBLICATION,
            metadata={
                metadata.PUBLICATION: str(published.id),
                metadata.AS_OF: published.as_of.isoformat(),
                metadata.PATH: str(published.path),
            },
        )
        yield MaterializeResult(
            asset_key=PAST.key, metadata={metadata.AS_OF: run.as_of.isoformat()}
        )

    return publication
