"""Publications of an older version's models, or of a shard that is not on this node yet."""

from pathlib import Path

import pytest

from tests.factories import marts
from tests.fixtures.api import NOW, Api, Tenant, running_api
from warehouse.operational.models import Shard, ShardAssignment
from warehouse.publication.publish import publish
from warehouse.settings import Settings
from warehouse.shards.whereabouts import note_served_by

pytestmark = pytest.mark.slow


@pytest.fixture
def settings(api: Api, tmp_path: Path) -> Settings:
    return api.settings.model_copy(update={"home": tmp_path})


def publish_without_payouts(settings: Settings) -> None:
    with marts.empty_marts() as connection:
        connection.execute("drop view machinery.payout_earnings")
        connection.execute("drop table machinery.payout_earned")
        publish(settings, connection, as_of=NOW)


def test_missing_marts_are_unavailable_and_the_rest_answers(
    api: Api, tenant: Tenant, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr("warehouse.publication.publish.models_version", lambda: "earlier")
        publish_without_payouts(settings)
    with running_api(settings, api.store) as served, served.client(tenant.made.api_key) as client:
        assert client.get("/creators").status_code == 200
        meta = client.refusal("GET", "/payout-accruals", "unavailable")
        response = client.get("/payout-accruals")
    assert response.headers["Retry-After"] == str(meta["retryAfter"]) == "300"
    assert "The next pipeline run computes it" in response.json()["error"]


def test_a_current_one_may_lack_nothing(api: Api, tenant: Tenant, settings: Settings) -> None:
    publish_without_payouts(settings)
    with running_api(settings, api.store) as served, served.client(tenant.made.api_key) as client:
        client.refusal("GET", "/payout-accruals", "internal_error")


def publish_nobody(settings: Settings) -> None:
    with marts.empty_marts() as connection:
        publish(settings, connection, as_of=NOW)


def assign_to_east(api: Api, tenant: Tenant, node: Settings) -> None:
    """Assign the tenant to another shard, and record that on a node."""
    with api.store.write_session() as session:
        session.add_all([Shard(name="main"), Shard(name="east")])
        whose = tenant.made.organization_id
        session.add(ShardAssignment(organization_id=whose, shard="east", served_by="east"))
    with api.store.read_session() as session:
        note_served_by(node, session, ["main", "east"])


def test_its_decisions_are_there(api: Api, tenant: Tenant, tmp_path: Path) -> None:
    node = api.settings.model_copy(update={"home": tmp_path})
    publish_nobody(node)
    assign_to_east(api, tenant, node)
    with running_api(node, api.store) as served, served.client(tenant.made.api_key) as client:
        assert client.get("/me").status_code == 200
        meta = client.refusal("GET", "/payout-accruals", "unavailable")
        response = client.get("/payout-accruals")
        assert response.headers["Retry-After"] == str(meta["retryAfter"]) == "5"
        assert "still fetching these numbers" in response.json()["error"]
        publish_nobody(node.of_shard("east"))
        assert client.get("/payout-accruals").status_code == 200
