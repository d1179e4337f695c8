"""Program health over HTTP lists webhook endpoints that the system disabled."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import pytest
from sqlalchemy import update

from serving_api.resources.organization.webhooks.schemas import DisabledReason
from serving_api.resources.programs.program_health.goals import HAPPENED
from tests.fixtures.api import Tenant
from warehouse.operational.models import WebhookEndpoint

URL = "https://hooks.test.invalid/?token=secret"
BEGAN = datetime(2026, 5, 17, 8, tzinfo=UTC)


def add_endpoint(tenant: Tenant, **body: Any) -> str:
    answer = tenant.client.data("POST", "/webhook-endpoints", json={"url": URL, **body})
    return str(answer["id"])


def disable(tenant: Tenant, endpoint_id: str, reason: str, at: datetime) -> None:
    """As the deliverer does (see tests/warehouse/webhooks/test_delivering.py)."""
    columns = {"is_enabled": False, "disabled_reason": reason, "disabled_at": at}
    with tenant.api.store.write_session() as session:
        session.execute(
            update(WebhookEndpoint).where(WebhookEndpoint.id == endpoint_id).values(columns)
        )


def alerts(tenant: Tenant) -> Any:
    health = tenant.client.data("GET", f"/projects/{tenant.project_id}/program-health")
    return health["alerts"]["disabled_webhooks"]


def test_each_is_named_with_why_and_what_to_do(tenant: Tenant) -> None:
    gone, failing = add_endpoint(tenant, description="Ledger"), add_endpoint(tenant)
    add_endpoint(tenant)
    assert alerts(tenant) == []
    disable(tenant, gone, "gone", BEGAN)
    disable(tenant, failing, "failing", BEGAN + timedelta(days=3))
    latest, first = alerts(tenant)
    assert (latest["endpoint_id"], latest["disabled_reason"]) == (failing, "failing")
    way_out = first.pop("detail")
    assert first == {
        "endpoint_id": gone,
        "description": "Ledger",
        "disabled_reason": "gone",
        "disabled_at": "2026-05-17T08:00:00Z",
        "last_success_at": None,
    }
    assert "PATCH /webhook-endpoints/{endpoint_id}" in way_out
    assert "410" in way_out
    assert "three days" in latest["detail"]


@pytest.mark.parametrize("body", [{"is_enabled": True}, {"is_enabled": False}, None])
def test_what_a_person_did_since_ends_it(tenant: Tenant, body: Any) -> None:
    """A user who disables the endpoint has seen the alert; a deleted endpoint has none either."""
    endpoint_id = add_endpoint(tenant)
    disable(tenant, endpoint_id, "gone", BEGAN)
    path = f"/webhook-endpoints/{endpoint_id}"
    if body is None:
        tenant.client.data("DELETE", path)
    else:
        left = tenant.client.data("PATCH", path, json=body)
        assert left["disabled_at"] == (None if body["is_enabled"] else "2026-05-17T08:00:00Z")
    assert alerts(tenant) == []


def test_campaigns_show_it_and_others_do_not(tenant: Tenant, other: Tenant) -> None:
    disable(tenant, add_endpoint(tenant), "gone", BEGAN)
    path = f"/projects/{tenant.project_id}/program-health"
    of_campaign = {"campaign_id": tenant.campaign()["id"]}
    health = tenant.client.data("GET", path, params=of_campaign)
    assert len(health["alerts"]["disabled_webhooks"]) == 1
    assert alerts(other) == []


def test_a_reader_sees_no_address(tenant: Tenant) -> None:
    disable(tenant, add_endpoint(tenant), "gone", BEGAN)
    path = f"/projects/{tenant.project_id}/program-health"
    with tenant.client_with("read", role="member") as reader:
        health = reader.data("GET", path)
    assert len(health["alerts"]["disabled_webhooks"]) == 1
    assert "hooks.test.invalid" not in json.dumps(health)


def test_every_reason_has_its_sentence() -> None:
    assert set(HAPPENED) == set(get_args(DisabledReason))
