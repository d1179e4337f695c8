"""Under any fetch schedule, payouts and goals equal the oracle's on the same readings."""

import json
from datetime import date, timedelta
from random import Random
from typing import Any

import duckdb
import pytest
from sqlalchemy import select

from orchestration.scraping.worker import Scope
from scrapers.simulator import RunningSimulator
from tests.dbt_project.stories import assert_same
from tests.factories.history import roll_up
from tests.factories.payouts import add_assignment, add_structure, rule
from tests.oracles import payouts
from tests.orchestration.conftest import FIRST_DAY
from tests.orchestration.scraping.test_any_plan import PLATFORMS, make_due, readings
from warehouse.catalogue.models import relation_of
from warehouse.catalogue.operational import OPERATIONAL
from warehouse.connection import open_warehouse
from warehouse.operational.models import Creator, GoalState
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.settings import Settings

pytestmark = pytest.mark.slow

LOOKS, BUILDS = 3, 2
STARTED = date(2026, 8, 26)
CPM = rule("cpm", period="daily") | {
    "criteria_params": {
        "tiers": [{"up_to_impressions": None, "cents_per_thousand": 90}],
        "view_lifetime_days": 20,
        "min_impressions": 0,
        "max_payout_cents": None,
    }
}
THRESHOLD = rule("view_threshold") | {
    "criteria_params": {
        "thresholds": [
            {"view_count": count, "amount_cents": count // 10}
            for count in (300, 1_000, 3_000, 10_000, 100_000)
        ]
    }
}


def decide(store: OperationalStore, organization: NewOrganization) -> None:
    """Set pay for daily views and for thresholds, and goals for views and posts."""
    with store.read_session() as session:
        creators = session.scalars(select(Creator.id)).all()
    for paid in (CPM, THRESHOLD):
        structure = add_structure(store, organization, paid)
        for creator in creators:
            add_assignment(store, structure, creator, STARTED)
    with store.write_session() as session:
        for number, creator in enumerate(creators):
            for metric, period, target in (("views", "daily", 2_000), ("posts", "weekly", 3)):
                session.add(goal(organization, creator, metric, period, target + number))


def goal(organization: NewOrganization, creator: Any, metric: str, period: str, target: int) -> Any:
    return GoalState(
        organization_id=organization.organization_id,
        goal_id=creator.__class__(int=creator.int ^ target),
        project_id=organization.project_id,
        creator_id=creator,
        metric=metric,
        period=period,
        target_value=target,
        start_date=STARTED,
        is_active=True,
        platform_scope="all",
        is_deleted=False,
        valid_from=FIRST_DAY,
    )


def rows(connection: duckdb.DuckDBPyConnection, table: str) -> list[dict[str, Any]]:
    relation = connection.sql(f"select * from {table}")
    names = relation.columns
    return [dict(zip(names, row, strict=True)) for row in relation.fetchall()]


def assert_money_is_the_oracles(settings: Settings, when: str) -> tuple[int, int]:
    """Compare the marts with the oracle's result for the raw readings; return what is owed."""
    with open_warehouse(settings, read_only=True) as warehouse:
        [(as_of,)] = warehouse.sql("select as_of from control.published").fetchall()
        operational = {
            table.name: rows(warehouse, f"operational.{table.name}") for table in OPERATIONAL
        }
        for version in operational["payout_versions"]:
            version["criteria_params"] = json.loads(version["criteria_params"])
        raw = {
            name: rows(warehouse, f"raw.{name}")
            for name in ("video_snapshots", "account_snapshots")
        }
        earned, judged = (
            rows(warehouse, relation_of(mart)) for mart in ("payout_earnings", "goal_compliance")
        )
    facts = payouts.Facts(operational, raw, as_of)
    owed = [{k: v for k, v in row.items() if k != "evidence"} for row in payouts.owed(facts)]
    names = sorted(owed[0])
    assert_same([{name: row[name] for name in names} for row in earned], owed, f"earned, {when}")
    assert_same(judged, facts.goals.compliance(), f"goals, {when}")
    return len(owed), sum(row["amount_cents"] for row in owed)


@pytest.mark.parametrize("seed", range(1))
async def test_money_and_goals_are_the_oracles_on_what_any_plan_saw(  # noqa: PLR0917
    scraping: Settings,
    store: OperationalStore,
    organization: NewOrganization,
    two_tracked: list[str],
    simulator: RunningSimulator,
    seed: int,
) -> None:
    assert two_tracked
    decide(store, organization)
    draw, at, owed = Random(seed), FIRST_DAY, list[tuple[int, int]]()
    for platform in PLATFORMS:
        await readings(scraping, platform, Scope.DUE)
    for build in range(BUILDS):
        for _ in range(LOOKS):
            at += timedelta(minutes=draw.randrange(10, 2000))
            simulator.set_now(at)
            for platform in PLATFORMS:
                with operational_store(scraping.at(at)) as opened:
                    make_due(opened, draw)
                await readings(scraping.at(at), platform, Scope.DUE)
        roll_up(scraping.at(at), store)
        owed.append(assert_money_is_the_oracles(scraping.at(at), f"build {build}, seed {seed}"))
    assert owed[0] < owed[1]
    assert owed[0][1] > 0
