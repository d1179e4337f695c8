"""No write that the API accepts may stop the pipeline, whatever the clock of business time shows.

The clock stands still, or is set back (TRACKER_NOW), while decisions are made over HTTP; then a
pass has to be green, with every data test that dbt makes.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.faults.accepted_writes import Clock, Walker
from tests.faults.passes import make_pass
from tests.fixtures.api import NOW, Api, new_tenant, opened_store, running_api
from tests.fixtures.operational import FreshDatabase
from warehouse.operational.models import User


@dataclass(frozen=True)
class Served:
    """The API, whose business time is `clock`, over a pipeline that can make passes."""

    api: Api
    clock: Clock

    def make_pass(self) -> None:
        make_pass(self.api.settings.at(self.clock()), self.api.store)


@pytest.fixture
def served(databases: FreshDatabase, tmp_path: Path) -> Iterator[Served]:
    clock = Clock(NOW)
    with (
        opened_store(databases, tmp_path) as (settings, store),
        running_api(settings, replace(store, clock=clock)) as api,
    ):
        yield Served(api, clock)


def test_what_comes_and_goes_at_one_instant_leaves_a_green_pass(served: Served) -> None:
    with new_tenant(served.api) as tenant:
        creator = tenant.creator()
        account = f"/accounts/{creator['accounts'][0]['id']}"
        for path in (account, account, f"/creators/{creator['id']}", f"/creators/{creator['id']}"):
            tenant.client.data("POST", f"{path}/deactivate", json={"videos": "freeze"})
            tenant.client.data("POST", f"{path}/reactivate", json={"missed_posts": "inbox"})
        served.make_pass()


def test_random_writes_leave_green_passes(served: Served) -> None:
    with new_tenant(served.api) as tenant, tenant.client_with() as admin:
        with served.api.store.write_session() as session:
            for user in session.scalars(select(User)):
                user.is_platform_admin = True
        walker = Walker(tenant, admin, served.clock, random.Random(1))
        for _ in range(2):
            walker.land()
            walker.walk(150)
            served.make_pass()
