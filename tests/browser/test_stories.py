"""Five stories at the desk in a browser, with real pipeline runs over the simulated platforms."""

import asyncio
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser

from orchestration.cli.demo.story import scrape
from orchestration.running.pipeline import run_pipeline
from scrapers.simulator import Fault, FaultKind, Faults, World, running_simulator
from tests.browser.stories import disputing, launching, paying, refused, reviewing
from tests.browser.stories.desk import BERLIN, Desk, morning, opened
from tests.fixtures.api import new_tenant, running_api
from tests.fixtures.desk import Sitter
from tests.fixtures.operational import FreshDatabase, settings_for
from tests.scenarios.campaign import Today
from tests.scenarios.players import play
from warehouse.operational.store import operational_store

pytestmark = pytest.mark.slow

STORIES = {
    "a new campaign to first numbers": launching.story,
    "a week's inbox": reviewing.story,
    "the end of a month": paying.story,
    "a creator disputes": disputing.story,
    "a platform refuses": refused.story,
}
PICTURES = "TRACKER_PICTURES"
"""Names the folder for screenshots of pages: `make pictures`."""
ONE_DAY = timedelta(days=1)
WALL = Fault(kind=FaultKind.CHALLENGE, path="/tiktok/*")
REFUSED = morning(9).until
"""The morning on which TikTok answers every request with a challenge."""


@pytest.fixture(scope="module")
def failures(
    chromium: Browser, databases: FreshDatabase, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, BaseException | None]]:
    """Play all stories; return the error of each, None if it succeeded."""
    today = Today(datetime(2026, 8, 31, 18, tzinfo=BERLIN))
    with ExitStack() as open_here:
        url = open_here.enter_context(databases())
        simulator = open_here.enter_context(running_simulator(World(seed=1, creators=20)))
        passes = open_here.enter_context(ThreadPoolExecutor(1))  # this thread runs the browser
        faced = {
            "tiktok_base_url": simulator.tiktok_url,
            "instagram_base_url": simulator.instagram_url,
            "scrape_requests_per_second": 10_000.0,
            "api_rate_limits": False,
        }
        home = tmp_path_factory.mktemp("desk-stories")
        settings = settings_for(home, url).model_copy(update=faced)
        store = replace(open_here.enter_context(operational_store(settings)), clock=today)
        api = open_here.enter_context(running_api(settings.at(today()), store))
        desks: dict[str, Desk] = {}
        looks: list[datetime] = []
        pictures = Path(os.environ[PICTURES]) if PICTURES in os.environ else None

        def desk(name: str) -> Desk:
            tenant = open_here.enter_context(new_tenant(api, tz=BERLIN.key))
            admin = Sitter(tenant, signed_in=False)
            desks[name] = opened(chromium, admin, simulator, looks, pictures)
            return desks[name]

        def look_and_compute(instant: datetime) -> None:
            """Run the pipeline; for screenshots, first fetch on each morning since the last run."""
            walls = Faults(rules=(WALL,) if instant == REFUSED else ())
            httpx.put(f"{simulator.base_url}/_simulator/faults", content=walls.model_dump_json())
            while pictures and looks and looks[-1] + ONE_DAY < instant:
                looks.append(looks[-1] + ONE_DAY)
                simulator.set_now(looks[-1])
                passes.submit(asyncio.run, scrape(settings.at(looks[-1]), store)).result()
            looks.append(instant)
            simulator.set_now(instant)
            passes.submit(run_pipeline, settings.at(instant), comments=False).result()

        ends = play(STORIES, desk, today, look_and_compute)
        for name, failure in ends.items():
            if failure is not None:
                failure.add_note(desks[name].page.locator("body").inner_text())
        yield ends


@pytest.mark.parametrize("story", STORIES)
def test_a_story(failures: dict[str, BaseException | None], story: str) -> None:
    if (failure := failures[story]) is not None:
        raise failure
