"""Simulations that are refused because of their numbers.

A creator's post was read in March and May, and so were followers, which the platform rounds.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.factories.marts import (
    Account,
    History,
    Video,
    empty_marts,
    fill_marts,
    named,
)
from tests.factories.payouts import rule
from tests.factories.tracking import add_account, add_video
from tests.fixtures.api import NOW, Api, Client, Tenant, new_tenant
from warehouse.operational.models import Account as TrackedAccount
from warehouse.publication.publish import publish
from warehouse.settings import Settings
from warehouse.simulation import memory

pytestmark = pytest.mark.slow

PATH = "/payout-structures/simulate"
POST, ACCOUNT = named("simulated post"), named("simulated account")
EARNING = "select 'what is refused comes to no statement'"


class World:
    """A tenant with that creator; simulations are refused before the published SQL runs."""

    def __init__(self, tenant: Tenant, client: Client, settings: Settings) -> None:
        self.tenant, self.client, self.settings = tenant, client, settings
        store = tenant.api.store
        add_account(store, tenant.made, "simulated", id=ACCOUNT)
        add_video(store, tenant.made, "simulated", account=ACCOUNT, id=POST)
        with store.read_session() as session:
            self.creator = session.get_one(TrackedAccount, ACCOUNT).creator_id

    def publish(self, *earning: str) -> None:
        days = [datetime(2026, month, 2, tzinfo=UTC) for month in (3, 5)]
        history = History(
            videos=[
                Video("simulated post", {day: {"view": 7} for day in days}, creator=self.creator)
            ],
            accounts=[Account("simulated account", dict.fromkeys(days, 1_200))],
            organization=self.tenant.organization_id,
        )
        with empty_marts() as connection:
            fill_marts(connection, history)
            connection.execute("update marts.account_snapshots set is_exact = false")
            publish(self.settings, connection, as_of=NOW, earning=earning)

    def body(self, kind: str) -> Any:
        structure = {"project_id": str(self.tenant.project_id), "name": "Other", **rule(kind)}
        days = {"from": "2026-05-01", "to": "2026-05-20"}
        return {"structure": structure, "creator_ids": [str(self.creator)], **days}

    def refused_at_creators(self, kind: str, code: str = "simulation_too_large") -> str:
        body = self.body(kind)
        meta = self.client.refusal("POST", PATH, code, json=body)
        [issue] = meta["issues"]
        assert issue["path"] == "creator_ids"
        message: str = issue["message"]
        return message

    def assert_unavailable(self) -> None:
        body = self.body("cpm")
        self.client.refusal("POST", PATH, "unavailable", json=body)


@pytest.fixture(scope="module")
def world(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with (
        new_tenant(api) as tenant,
        api.changed(home=tmp_path_factory.mktemp("refused")) as served,
        served.client(tenant.made.api_key) as client,
    ):
        yield World(tenant, client, served.settings)


def test_numbers_of_an_earlier_version_are_without(world: World) -> None:
    world.publish()
    world.assert_unavailable()


def test_posts_that_were_read_too_often(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.publish(EARNING)
    monkeypatch.setattr(memory, "MOST_READINGS", 1)
    assert "more than 1 readings" in world.refused_at_creators("cpm")


def test_older_months_are_read_elsewhere(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.publish(EARNING)
    current = world.settings.publications_path / "current.duckdb"
    elsewhere = current.with_name("elsewhere")
    current.resolve().parent.rename(elsewhere)
    current.unlink()
    current.symlink_to(elsewhere / "publication.duckdb")
    monkeypatch.setattr(memory, "MOST_READINGS", 1)
    assert "more than 1 readings" in world.refused_at_creators("cpm")


def test_waiting_has_an_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.publish(EARNING)
    monkeypatch.setattr(memory, "PATIENCE_SECONDS", 0)
    with memory.in_turn():
        world.assert_unavailable()


def test_goals_of_followers_that_the_platform_rounded(world: World) -> None:
    """Only original readings tell the number of followers, and publications have none."""
    world.publish(EARNING)
    goal = {"metric": "followers", "period": "weekly", "target_value": 5}
    world.tenant.goal({"id": world.creator}, **goal)
    assert "follower goals" in world.refused_at_creators("goals", "invalid_body")
