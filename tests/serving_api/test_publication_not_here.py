"""On a node that has not taken the caller's shard yet: numbers are to come, and are not 'none'."""

from pathlib import Path

import pytest

from tests.factories import marts
from tests.fixtures.api import NOW, Api, Tenant, running_api
from warehouse.operational.models import Shard, ShardAssignment
from warehouse.publication.publish import publish
from warehouse.settings import Settings
from warehouse.shards.whereabouts import note_served_by

pytestmark = pytest.mark.slow


def publish_nobody(settings: Settings) -> None:
    with marts.empty_marts() as connection:
        publish(settings, connection, as_of=NOW)


def assign_to_east(api: Api, tenant: Tenant, node: Settings) -> None:
    """Let another shard answer for a tenant, and a node know it."""
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
