"""No write that the API accepts may stop the pipeline, whatever the clock of business time shows.

The clock stands still, or is set back (TRACKER_NOW), during decisions over HTTP; then a pipeline
run must be green, with every data test of dbt.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.doses import SEED, dose
from tests.factories.landing import fetch, post
from tests.fixtures.api import NOW, Api, new_tenant, opened_store, running_api
from tests.fixtures.operational import FreshDatabase
from tests.qa.faults.accepted_writes import Walker
from tests.qa.faults.landed_rows import import_history, land
from tests.qa.faults.passes import run_pipeline_job
from tests.qa.faults.write_bodies import Clock
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.models import User
from warehouse.registration.register import register_landed
from warehouse.settings import Settings

WORLDS = dose(small=1, full=4)


@dataclass(frozen=True)
class Served:
    """The API, with business time from `clock`, and its pipeline."""

    api: Api
    clock: Clock

    @property
    def settings(self) -> Settings:
        return self.api.settings.at(self.clock())

    def run_pipeline_job(self) -> None:
        """Make a pipeline run, which accepts every landed batch."""
        batches = register_landed(self.api.store, self.settings)
        assert [batch.rejected for batch in batches if batch.rejected] == []
        run_pipeline_job(self.settings, self.api.store)


@pytest.fixture
def served(databases: FreshDatabase, tmp_path: Path) -> Iterator[Served]:
    clock = Clock(NOW)
    with (
        opened_store(databases, tmp_path) as (settings, store),
        running_api(settings, replace(store, clock=clock)) as api,
    ):
        yield Served(api, clock)


def test_changes_and_their_reversal_at_one_instant_leave_a_green_run(served: Served) -> None:
    """Also beside a post of an account that is not tracked."""
    with new_tenant(served.api) as tenant:
        creator = tenant.creator()
        account = f"/accounts/{creator['accounts'][0]['id']}"
        for path in (account, account, f"/creators/{creator['id']}", f"/creators/{creator['id']}"):
            tenant.client.data("POST", f"{path}/deactivate", json={"videos": "freeze"})
            tenant.client.data("POST", f"{path}/reactivate", json={"missed_posts": "inbox"})
        number = tenant.video()["platform_video_id"]
        LandingWriter(open_landing(served.api.settings)).land(
            posts=[post(number, captured_at=NOW)],
            outcomes=[
                fetch(
                    job_type="video_stats",
                    platform_video_id=number,
                    started_at=NOW,
                    finished_at=NOW,
                )
            ],
        )
        served.run_pipeline_job()


@pytest.mark.slow
@pytest.mark.parametrize("world", range(WORLDS))
def test_random_writes_leave_green_runs(served: Served, world: int) -> None:
    with new_tenant(served.api) as tenant, tenant.client_with() as admin:
        with served.api.store.write_session() as session:
            for user in session.scalars(select(User)):
                user.is_platform_admin = True
        chance = random.Random(SEED + world)
        walker = Walker(clock=served.clock, chance=chance, tenant=tenant, platform_admin=admin)
        walker.furnish()
        for _ in range(2):
            land(served.settings, tenant, served.clock(), chance)
            served.run_pipeline_job()
            walker.comment_crawl(200)
            import_history(served.settings, tenant, served.clock(), chance)
        served.run_pipeline_job()
