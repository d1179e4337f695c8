"""The factory of scrape assets: one for each platform, alike but for the platform.

The step of such an asset sweeps its platform: first the looks that people asked for, then, unless
only those are wanted, every account and the posts that visiting accounts does not refresh.
"""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from typing import Any

from dagster import (
    AssetCheckResult,
    AssetCheckSeverity,
    AssetCheckSpec,
    AssetExecutionContext,
    AssetKey,
    AssetsDefinition,
    Config,
    FreshnessPolicy,
    MaterializeResult,
    ResourceParam,
    asset,
)

from orchestration.lib import metadata
from orchestration.lib.agenda import Agenda
from orchestration.lib.failures import is_unreachable, retry_unless_spent
from orchestration.lib.looks import Look
from orchestration.lib.progress import OnProgress, Progress
from orchestration.lib.sweep import Basket, OnLook, Tally, sweep
from orchestration.lib.visits import Visitor
from orchestration.resources.providers import OpenProvider
from warehouse.landing.writer import LandingWriter
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings

LOOKED_LATELY = FreshnessPolicy.time_window(
    warn_window=timedelta(hours=3), fail_window=timedelta(hours=26)
)
ANSWERED = "answered"


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
        check_specs=[
            AssetCheckSpec(
                ANSWERED, asset=key, description=f"{platform} answered at least one look."
            )
        ],
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
        basket = Basket(LandingWriter(settings.landing_path), _telling(platform, on_progress))
        asyncio.run(
            _sweep(settings, store, basket, open_provider, platform, scheduled=config.scheduled)
        )
        tally = basket.tally
        if is_unreachable(tally.outcomes):
            retry_unless_spent(context.retry_number)
        yield MaterializeResult(asset_key=key, metadata=_said(tally))
        yield AssetCheckResult(
            asset_key=key,
            check_name=ANSWERED,
            passed=not is_unreachable(tally.outcomes),
            severity=AssetCheckSeverity.ERROR,
            description=f"{platform} answered none of {tally.looks} looks",
        )

    return landed


async def _sweep(
    settings: Settings,
    store: OperationalStore,
    basket: Basket,
    open_provider: OpenProvider,
    platform: str,
    *,
    scheduled: bool,
) -> None:
    """Make the visits of the platform's agenda, part after part."""
    concurrency = settings.scrape_concurrency
    async with open_provider(settings, platform) as provider:
        agenda = Agenda(store, platform, Visitor(provider, settings.clock))
        await sweep(agenda.asked_for(), basket, concurrency=concurrency)
        if scheduled:
            await sweep(agenda.accounts(), basket, concurrency=concurrency)
            await sweep(agenda.posts(basket.tally.read), basket, concurrency=concurrency)


def _telling(platform: str, on_progress: OnProgress) -> OnLook:
    done = count(1)

    def tell(look: Look) -> None:
        on_progress(Progress(f"scrape {platform}", next(done), note=look.target.handle))

    return tell


def _said(tally: Tally) -> dict[str, Any]:
    return {
        metadata.LOOKS: tally.looks,
        metadata.OUTCOMES: dict(tally.outcomes),
        metadata.PROFILES: tally.profiles,
        metadata.POSTS: tally.posts,
        metadata.BATCHES: len(tally.batches),
    }
