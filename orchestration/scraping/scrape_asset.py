"""The factory of scrape assets, one per platform.

The asset's step fetches queued scrape jobs first. Then it fetches what the schedule has due, or
every account and the posts that account fetches do not refresh.
"""

import asyncio
from collections.abc import Iterator
from datetime import timedelta

from dagster import (
    AssetCheckResult,
    AssetExecutionContext,
    AssetKey,
    AssetsDefinition,
    AssetSpec,
    Config,
    FreshnessPolicy,
    MaterializeResult,
    ResourceParam,
    multi_asset,
)

from orchestration.resources.providers import OpenProvider
from orchestration.running.progress import OnProgress
from orchestration.scraping.crawl_report import answered_check, reported
from orchestration.scraping.worker import Scope, fetch_platform
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings

FETCHED_LATELY = FreshnessPolicy.time_window(
    warn_window=timedelta(hours=3), fail_window=timedelta(hours=26)
)


class CrawlConfig(Config):
    scope: Scope = Scope.EVERYTHING


def scrape_asset(platform: str) -> AssetsDefinition:
    key = AssetKey(["landing", platform])

    spec = AssetSpec(
        key,
        group_name="scrape",
        kinds={"python", "parquet"},
        freshness_policy=FETCHED_LATELY,
        description=f"Profiles, posts and counters as {platform} showed them, with the outcome of "
        "every fetch: immutable Parquet batches.",
    )

    @multi_asset(
        name=key.to_python_identifier(),
        specs=[spec],
        check_specs=[answered_check(key, platform)],
        can_subset=True,  # else Dagster 1.12 requires a check's result even without fetches
    )
    def landed(  # noqa: PLR0917  Dagster passes them by name
        context: AssetExecutionContext,
        config: CrawlConfig,
        settings: ResourceParam[Settings],
        store: ResourceParam[OperationalStore],
        open_provider: ResourceParam[OpenProvider],
        on_progress: ResourceParam[OnProgress],
    ) -> Iterator[MaterializeResult[None] | AssetCheckResult]:
        tally = asyncio.run(
            fetch_platform(settings, store, platform, open_provider, on_progress, config.scope)
        )
        yield from reported(key, platform, tally, context.retry_number)

    return landed
