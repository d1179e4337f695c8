"""The factory of scrape assets: one for each platform, alike but for the platform.

The step of such an asset sweeps its platform: first the looks that people asked for, then, unless
only those are wanted, every account and the posts that visiting accounts does not refresh.
"""

import asyncio
from collections.abc import Iterator
from datetime import timedelta

from dagster import (
    AssetCheckResult,
    AssetExecutionContext,
    AssetKey,
    AssetsDefinition,
    Config,
    FreshnessPolicy,
    MaterializeResult,
    ResourceParam,
    asset,
)

from orchestration.resources.providers import OpenProvider
from orchestration.running.progress import OnProgress
from orchestration.scraping.agenda import Agenda
from orchestration.scraping.connections import settle_connections
from orchestration.scraping.patience import Patience
from orchestration.scraping.sweep import Basket, sweep
from orchestration.scraping.sweep_report import answered_check, reported, telling, telling_of_pauses
from orchestration.scraping.visits import Visitor
from warehouse.landing.writer import LandingWriter
from warehouse.operational.store import OperationalStore
from warehouse.scrape_jobs.queue import put_back
from warehouse.settings import Settings

LOOKED_LATELY = FreshnessPolicy.time_window(
    warn_window=timedelta(hours=3), fail_window=timedelta(hours=26)
)


class SweepConfig(Config):
    """What a sweep looks at."""

    scheduled: bool = True
    """Every account and post; otherwise only what queued jobs ask for."""


def scrape_asset(platform: str) -> AssetsDefinition:
    """Return the asset of one platform's landed batches."""
    key = AssetKey(["landing", platform])

    @asset(
        key=key,
        group_name="scrape",
        kinds={"python", "parquet"},
        freshness_policy=LOOKED_LATELY,
        check_specs=[answered_check(key, platform)],
        description=f"Profiles, posts and counters as {platform} showed them, with the outcome of "
        "every look: immutable Parquet batches.",
    )
    def landed(  # noqa: PLR0917  what Dagster hands in, by name
        context: AssetExecutionContext,
        config: SweepConfig,
        settings: ResourceParam[Settings],
        store: ResourceParam[OperationalStore],
        open_provider: ResourceParam[OpenProvider],
        on_progress: ResourceParam[OnProgress],
    ) -> Iterator[MaterializeResult[None] | AssetCheckResult]:
        """Sweep the platform and land what was seen."""
        basket = Basket(
            LandingWriter(settings.landing_path), telling(f"scrape {platform}", on_progress)
        )
        asyncio.run(
            _sweep(
                settings,
                store,
                basket,
                open_provider,
                platform,
                patience=Patience(
                    settings.scrape_patience_seconds,
                    on_wait=telling_of_pauses(platform, on_progress),
                ),
                scheduled=config.scheduled,
            )
        )
        yield from reported(key, platform, basket.tally, context.retry_number)

    return landed


async def _sweep(
    settings: Settings,
    store: OperationalStore,
    basket: Basket,
    open_provider: OpenProvider,
    platform: str,
    *,
    patience: Patience,
    scheduled: bool,
) -> None:
    """Make the visits of the platform's agenda, part after part."""
    concurrency = settings.scrape_concurrency
    await asyncio.to_thread(settle_connections, settings, store, platform)
    async with open_provider(settings, platform) as provider:
        agenda = Agenda(store, platform, Visitor(provider, settings.clock, patience))
        await sweep(agenda.asked_for(), basket, concurrency=concurrency)
        if basket.tally.wait_seconds is not None:
            put_back(store, agenda.claimed - basket.tally.jobs, basket.tally.wait_seconds)
        if scheduled:
            await sweep(agenda.accounts(settings.clock()), basket, concurrency=concurrency)
            await sweep(agenda.posts(basket.tally.read), basket, concurrency=concurrency)
