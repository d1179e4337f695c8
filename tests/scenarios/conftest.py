"""One installation for all stories: real PostgreSQL, landing, dbt, publications and API."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime

import pytest

from tests.fixtures.api import new_tenant, running_api
from tests.fixtures.operational import FreshDatabase, settings_for
from tests.qa.faults.passes import run_pipeline_job
from tests.scenarios import (
    august,
    bonuses,
    budgeted,
    connected,
    costed,
    disputed,
    held,
    held_by_hand,
    lab,
    promises,
    proved,
    retainer,
    retracted,
    returned,
    sales,
    switch,
    views,
)
from tests.scenarios.campaign import NEW_YORK, Campaign, Story, Today, at
from tests.scenarios.players import play
from warehouse.operational.store import operational_store

STORIES: dict[str, Story] = {
    "views": views.story,
    "august": august.story,
    "bonuses": bonuses.story,
    "retainer": retainer.story,
    "promises": promises.story,
    "retracted": retracted.story,
    "returned": returned.story,
    "sales": sales.story,
    "switch": switch.story,
    "disputed": disputed.story,
    "budgeted": budgeted.story,
    "lab": lab.story,
    "held": held.story,
    "held_by_hand": held_by_hand.story,
    "connected": connected.story,
    "proved": proved.story,
    "costed": costed.story,
}


@dataclass(frozen=True)
class World:
    """The organizations after all stories, and the failure of each story."""

    campaigns: dict[str, Campaign]
    failures: dict[str, BaseException | None]


@pytest.fixture(scope="package")
def world(databases: FreshDatabase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    today, campaigns = Today(at(2, 27)), dict[str, Campaign]()
    with ExitStack() as open_here:
        url = open_here.enter_context(databases())
        home = tmp_path_factory.mktemp("stories")
        settings = settings_for(home, url).model_copy(update={"api_rate_limits": False})
        store = replace(open_here.enter_context(operational_store(settings)), clock=today)
        api = open_here.enter_context(running_api(settings.at(today()), store))

        def campaign(handle: str) -> Campaign:
            tenant = open_here.enter_context(new_tenant(api, tz=str(NEW_YORK)))
            campaigns[handle] = Campaign(tenant, handle, today)
            return campaigns[handle]

        def compute(instant: datetime) -> None:
            run_pipeline_job(settings.at(instant), store)

        yield World(campaigns, play(STORIES, campaign, today, compute))
