"""An upgrade from the last version that stored internal tables among the marts."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.factories.earlier_layout import (
    publish_in_earlier_layout,
    warehouse_in_earlier_layout,
)
from tests.factories.payouts import rule
from tests.fixtures.api import new_tenant, running_api
from tests.fixtures.operational import FreshDatabase, settings_for
from tests.qa.faults.passes import run_pipeline_job
from tests.scenarios.campaign import NEW_YORK, Campaign, Today, at
from warehouse.catalogue.models import LAYERS, schemas
from warehouse.operational.store import operational_store
from warehouse.settings import Settings

pytestmark = pytest.mark.slow

RELATIONS = """
    select table_name, schema_name from duckdb_tables() where schema_name in $layers
    union all
    select view_name, schema_name from duckdb_views() where schema_name in $layers
"""
IS_FULL_REFRESH = "select is_full_refresh from control.run"


@dataclass(frozen=True)
class Installation(Campaign):
    """Ada was paid for January's views; later amounts are final and unpaid."""

    settings: Settings

    def compute(self) -> None:
        run_pipeline_job(self.settings.at(self.today()), self.tenant.api.store)

    def play(self) -> Any:
        ada = self.creator()
        self.pays(ada, "2026-01-05", rule("cpm"))
        posted = {"one": at(1, 6)}
        self.scraped(at(1, 7), posted, one=10_000)
        self.today.move(at(1, 20))
        self.compute()
        assert self.pay(ada)["amount_cents"] == 1_000
        self.scraped(at(2, 10), posted, one=14_000)
        self.scraped(at(4, 3), posted, one=15_000)
        self.today.move(at(4, 6))
        self.compute()
        return ada

    def answers(self, ada: Any) -> list[Any]:
        """Return what the API reads from machinery: amounts owed, evidence, and other days."""
        owed = self.accruals(ada)
        series = {
            "metric": "views",
            "entity": "creator",
            "entity_ids": ada["id"],
            "from": "2026-01-01",
            "to": "2026-04-06",
            "tz": "Asia/Tokyo",
        }
        return [
            owed,
            [self.evidence(accrual) for accrual in owed],
            self.balance(ada),
            self.tenant.client.data("GET", "/analytics", params=series),
        ]


@pytest.fixture
def installation(databases: FreshDatabase, tmp_path: Path) -> Iterator[Installation]:
    today = Today(at(1, 2))
    with ExitStack() as open_here:
        settings = settings_for(tmp_path / "home", open_here.enter_context(databases()))
        store = replace(open_here.enter_context(operational_store(settings)), clock=today)
        api = open_here.enter_context(running_api(settings.at(today()), store))
        tenant = open_here.enter_context(new_tenant(api, tz=str(NEW_YORK)))
        yield Installation(tenant, "ada", today, settings)


def test_the_earlier_layout_is_read_until_the_next_run(installation: Installation) -> None:
    ada = installation.play()
    before = installation.answers(ada)
    assert installation.balance(ada) == (1_500, 1_000, 500)

    earlier = publish_in_earlier_layout(installation.settings)
    warehouse_in_earlier_layout(installation.settings)
    assert installation.answers(ada) == before

    installation.compute()
    assert ask(installation.settings, IS_FULL_REFRESH) == [(True,)]
    assert installation.answers(ada) == before
    current = installation.settings.publications_path / "current.duckdb"
    for fact in ("creator_quarter_hours", "payout_decided_accruals"):
        month = f"months/{fact}-2026-01.parquet"
        assert (current.resolve().parent / month).samefile(earlier / month)
    relations = ask(installation.settings, RELATIONS, layers=LAYERS)
    assert dict(relations) == schemas()
    assert len(relations) == len(schemas())

    installation.compute()
    assert ask(installation.settings, IS_FULL_REFRESH) == [(False,)]
    assert installation.answers(ada) == before


def ask(settings: Settings, question: str, **parameters: object) -> list[tuple[Any, ...]]:
    with duckdb.connect(settings.warehouse_path, read_only=True) as connection:
        return connection.execute(question, parameters).fetchall()
