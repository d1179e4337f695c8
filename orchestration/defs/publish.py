"""The publication that readers see, a check of its accounts' freshness, and uploading it again."""

from collections.abc import Iterable, Iterator
from datetime import timedelta

from dagster import (
    AssetCheckResult,
    AssetCheckSeverity,
    AssetKey,
    AssetsDefinition,
    AssetSpec,
    Failure,
    FreshnessPolicy,
    MaterializeResult,
    ResourceParam,
    asset_check,
    job,
    multi_asset,
    op,
)

from orchestration.partitions import OF_SHARD, SHARDS
from orchestration.resources.warehouse import WarehouseWriter
from orchestration.running import steps
from orchestration.running.logs import LOGGERS
from orchestration.running.progress import OnProgress, Progress
from orchestration.running.publishing import publish_run
from orchestration.running.steps import NOTE_STEP
from warehouse.catalogue.control import PUBLISHED
from warehouse.catalogue.past import PAST as COPIES
from warehouse.operational.store import OperationalStore
from warehouse.publication.current import CurrentPublication
from warehouse.publication.shared.sending import share_last
from warehouse.settings import Settings

PUBLICATION = AssetKey(["publications", "current"])
PAST = AssetSpec(
    ["control", "past"],
    deps=[PUBLICATION],
    group_name="control",
    kinds={"duckdb"},
    description="Tables from which the next run continues; no mart of this run depends on them: "
    + ", ".join(past.relation for past in (PUBLISHED, *COPIES))
    + ".",
)
SERVED_FRESH = FreshnessPolicy.time_window(
    warn_window=timedelta(hours=3), fail_window=timedelta(hours=26)
)
"""A rollup runs daily and after each landed batch; if older, something is stuck."""


def publication_of(marts: Iterable[AssetKey]) -> AssetsDefinition:
    """Return the publication of all marts, with the past for the next run."""
    spec = AssetSpec(
        PUBLICATION,
        deps=sorted(marts),
        group_name="publish",
        kinds={"duckdb", "parquet"},
        freshness_policy=SERVED_FRESH,
        description="The immutable database that the API and analysts read: "
        "publications/current.duckdb.",
    )

    @multi_asset(specs=[spec, PAST], partitions_def=SHARDS)
    def publication(
        settings: ResourceParam[Settings],
        store: ResourceParam[OperationalStore],
        warehouse: ResourceParam[WarehouseWriter],
        on_progress: ResourceParam[OnProgress],
    ) -> Iterator[MaterializeResult[None]]:
        """Publish the marts, then promote the run in the control table."""
        on_progress(Progress("publish"))
        run = warehouse.green
        if run is None:
            raise Failure(
                "only a run that built all models can publish: run a job, not this asset alone"
            )
        with warehouse.connection() as connection:
            published = publish_run(
                settings, store, connection, run, warehouse.hold(), unsound=warehouse.unsound
            )
        yield MaterializeResult(
            asset_key=PUBLICATION,
            metadata={
                steps.PUBLICATION: str(published.id),
                steps.AS_OF: published.as_of.isoformat(),
                steps.PATH: str(published.path),
            },
        )
        yield MaterializeResult(asset_key=PAST.key, metadata={steps.AS_OF: run.as_of.isoformat()})

    return publication


FRESHNESS = """
    select
        count(*) as accounts,
        count(*) filter (where is_stale_profile) as stale_profiles,
        count(*) filter (where is_stale_discovery) as stale_discoveries
    from marts.scrape_freshness
"""


@asset_check(
    asset=PUBLICATION,
    description="Every active account was checked recently (profile: 28 h, posts: 48 h).",
)
def accounts_are_fresh(settings: ResourceParam[Settings]) -> AssetCheckResult:
    """Warn about stale accounts; their last numbers are still served."""
    current = CurrentPublication(settings.publications_path)
    with current.cursor() as cursor:
        row = cursor.execute(FRESHNESS).fetchone()
    accounts, stale_profiles, stale_discoveries = row or (0, 0, 0)
    return AssetCheckResult(
        passed=stale_profiles + stale_discoveries == 0,
        severity=AssetCheckSeverity.WARN,
        description=f"{stale_profiles} of {accounts} active accounts have a stale profile, "
        f"{stale_discoveries} a stale discovery",
        metadata={
            "accounts": accounts,
            "stale_profiles": stale_profiles,
            "stale_discoveries": stale_discoveries,
        },
    )


CHECKS = [accounts_are_fresh]


@op(name="sharing")
def share_once_more(
    settings: ResourceParam[Settings], store: ResourceParam[OperationalStore]
) -> None:
    """Upload this machine's last publication to the bucket, unless a newer one is there."""
    share_last(settings, store)


@job(
    hooks={NOTE_STEP},
    logger_defs=LOGGERS,
    config=OF_SHARD,
    description="Upload a shard's last publication to the bucket, after it was unavailable or "
    "full.",
)
def share() -> None:
    """Upload only: other machines then serve what this one serves."""
    share_once_more()
