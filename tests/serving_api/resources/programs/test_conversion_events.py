"""Conversion events: immutable slug keys, a plan limit on active ones, two ways to delete."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import func, select

from tests.factories.payouts import conversion_rule
from tests.fixtures.api import Api, Tenant, new_tenant
from warehouse.operational.models import Conversion


def events_path(tenant: Tenant) -> str:
    return f"/projects/{tenant.project_id}/conversion-events"


def event_path(tenant: Tenant, event: Any) -> str:
    return f"{events_path(tenant)}/{event['id']}"


def in_use(tenant: Tenant, event: Any) -> Any:
    """Try to delete the event, and return the error."""
    query = {"mode": "hard"}
    return tenant.client.refusal("DELETE", event_path(tenant, event), "conflict", params=query)


class TestCreate:
    def test_defaults(self, tenant: Tenant) -> None:
        event = tenant.client.data(
            "POST", events_path(tenant), json={"key": "signup", "name": "Sign-up"}
        )
        stamps = {"created_at": "2026-05-20T12:00:00Z", "updated_at": "2026-05-20T12:00:00Z"}
        assert event == {
            "id": event["id"],
            "project_id": str(tenant.project_id),
            "org_id": str(tenant.organization_id),
            "key": "signup",
            "name": "Sign-up",
            "description": None,
            "default_value_cents": 0,
            "currency": "USD",
            "is_active": True,
            "metadata": {},
            **stamps,
        }
        assert tenant.client.data("GET", event_path(tenant, event)) == event

    def test_all_fields(self, tenant: Tenant) -> None:
        body = {
            "key": "trial.start_v2-eu",
            "name": "Trial",
            "description": "A trial",
            "default_value_cents": 1250,
            "currency": "EUR",
            "metadata": {"funnel": 2},
        }
        event = tenant.client.data("POST", events_path(tenant), json=body)
        assert body.items() <= event.items()

    @pytest.mark.parametrize("key", ["a", "7", "a" * 63, "1.5-x_y"])
    def test_keys_that_are_slugs(self, tenant: Tenant, key: str) -> None:
        assert tenant.conversion_event(key)["key"] == key

    @pytest.mark.parametrize("key", ["signup", "SignUp"])
    @pytest.mark.parametrize("is_active", [True, False])
    def test_keys_are_unique_in_any_case(self, tenant: Tenant, key: str, is_active: bool) -> None:
        event = tenant.conversion_event("signup")
        if not is_active:
            tenant.client.data("DELETE", event_path(tenant, event))
        body = {"key": key, "name": "Again"}
        envelope = tenant.client.answer("POST", events_path(tenant), json=body, status=409)
        assert envelope["meta"] == {
            "code": "conversion_event_exists",
            "conversion_event_id": event["id"],
            "is_active": is_active,
        }
        assert ("is_active true" in envelope["error"]) == (not is_active)

    def test_another_project_has_keys_of_its_own(self, tenant: Tenant, other: Tenant) -> None:
        assert tenant.conversion_event("signup")["id"] != other.conversion_event("signup")["id"]


class TestLimit:
    def test_active_events_count(self, api: Api) -> None:
        with new_tenant(api, plan="free") as tenant:
            events = [tenant.conversion_event(key) for key in ("a", "b", "c")]
            body = {"key": "d", "name": "D"}
            meta = tenant.client.refusal("POST", events_path(tenant), "limit_reached", json=body)
            assert (meta["limitKey"], meta["current"], meta["max"]) == (
                "max_conversion_events_per_project",
                3,
                3,
            )
            tenant.client.data("DELETE", event_path(tenant, events[0]))
            tenant.conversion_event("d")
            tenant.client.refusal(
                "PATCH", event_path(tenant, events[0]), "limit_reached", json={"is_active": True}
            )
            # An active event uses no additional slot.
            tenant.client.data("PATCH", event_path(tenant, events[1]), json={"is_active": True})

    def test_many_at_once_do_not_pass_it(self, api: Api) -> None:
        with new_tenant(api, plan="free") as tenant, ThreadPoolExecutor(8) as pool:
            bodies = [{"key": f"k{number}", "name": "K"} for number in range(8)]
            posted = pool.map(
                lambda body: tenant.client.post(events_path(tenant), json=body).status_code, bodies
            )
            assert sorted(posted) == [201] * 3 + [402] * 5
            assert len(tenant.client.data("GET", events_path(tenant))) == 3


class TestList:
    def test_newest_first_and_inactive_ones_on_demand(self, tenant: Tenant) -> None:
        events = [tenant.conversion_event(key) for key in ("a", "b", "c")]
        tenant.client.data("DELETE", event_path(tenant, events[1]))
        listed = tenant.client.answer("GET", events_path(tenant))
        assert [event["key"] for event in listed["data"]] == ["c", "a"]
        assert listed["meta"] == {"count": 2}
        query = {"include_inactive": "true"}
        every = tenant.client.answer("GET", events_path(tenant), params=query)
        assert [event["is_active"] for event in every["data"]] == [True, False, True]
        assert every["meta"] == {"count": 3}


class TestChange:
    def test_what_can_change(self, tenant: Tenant) -> None:
        event = tenant.conversion_event(description="Old", metadata={"a": 1})
        changes = {
            "name": "New",
            "description": None,
            "default_value_cents": 7,
            "is_active": False,
            "metadata": {"b": 2},
        }
        changed = tenant.client.data("PATCH", event_path(tenant, event), json=changes)
        assert changed == {**event, **changes}

    def test_something_has_to_be_sent(self, tenant: Tenant) -> None:
        event = tenant.conversion_event()
        tenant.client.refusal("PATCH", event_path(tenant, event), "invalid_body", json={})

    def test_a_new_default_value_applies_to_later_conversions(self, tenant: Tenant) -> None:
        event = tenant.conversion_event(default_value_cents=100)
        creator = tenant.creator()["id"]
        before = tenant.conversion(event, creator_id=creator)
        changes = {"default_value_cents": 250}
        tenant.client.data("PATCH", event_path(tenant, event), json=changes)
        after = tenant.conversion(event, creator_id=creator)
        path = f"/projects/{tenant.project_id}/conversions/{before['id']}"
        assert tenant.client.data("GET", path)["value_cents"] == 100
        assert after["value_cents"] == 250


class TestDelete:
    @pytest.mark.parametrize("query", [{}, {"mode": "soft"}, {"mode": ""}])
    def test_the_default_deactivates_it(self, tenant: Tenant, query: dict[str, str]) -> None:
        event = tenant.conversion_event()
        conversion = tenant.conversion(event, creator_id=tenant.creator()["id"])
        deleted = tenant.client.answer("DELETE", event_path(tenant, event), params=query)
        assert deleted["data"] == {"id": event["id"], "mode": "deactivate"}
        assert deleted["meta"] == {"conversions_affected": 1}
        again = tenant.client.answer("DELETE", event_path(tenant, event))
        assert again["meta"] == {"conversions_affected": 1}
        body = {"conversion_event_key": "signup", "creator_id": conversion["creator_id"]}
        path = f"/projects/{tenant.project_id}/conversions"
        tenant.client.refusal("POST", path, "conversion_event_inactive", json=body)
        tenant.client.data("PATCH", event_path(tenant, event), json={"is_active": True})
        tenant.client.data("POST", path, json=body)

    def test_hard_deletes_event_and_conversions(self, tenant: Tenant) -> None:
        event, other_event = tenant.conversion_event("a"), tenant.conversion_event("b")
        creator = tenant.creator()["id"]
        for _ in range(2):
            tenant.conversion(event, creator_id=creator)
        tenant.conversion(other_event, creator_id=creator)
        query = {"mode": "hard"}
        deleted = tenant.client.answer("DELETE", event_path(tenant, event), params=query)
        assert deleted["data"] == {"id": event["id"], "mode": "hard"}
        assert deleted["meta"] == {"conversions_affected": 2}
        tenant.client.refusal("GET", event_path(tenant, event), "conversion_event_not_found")
        with tenant.api.store.read_session() as session:
            of_project = Conversion.project_id == tenant.project_id
            counted = select(func.count()).select_from(Conversion).where(of_project)
            assert session.scalar(counted) == 1
        assert tenant.conversion_event("a")["id"] != event["id"]

    @pytest.mark.parametrize("use", ["waits to be assigned", "is assigned", "was assigned"])
    def test_not_while_a_structure_pays_for_it(self, tenant: Tenant, use: str) -> None:
        """Even if its rule now names another event: the paid amounts are recomputed."""
        event, later = tenant.conversion_event("a"), tenant.conversion_event("b")
        named = [tenant.payout_structure(conversion_rule(event)) for _ in range(2)]
        for structure in named if use != "waits to be assigned" else []:
            creator = tenant.creator(f"demo{structure[-4:]}")
            tenant.payout_assignment(structure, creator)
            rule = {"kind": "rule", **conversion_rule(later)}
            tenant.client.data("PATCH", f"/payout-structures/{structure}", json=rule)
            if use == "was assigned":
                tenant.client.data("DELETE", f"/payout-structures/{structure}")
        refused = in_use(tenant, event)
        assert refused["reason"] == "event_in_use"
        assert refused["structure_ids"] == sorted(named)
        if use == "waits to be assigned":
            rule = {"kind": "rule", **conversion_rule(event)}
            tenant.client.data("PATCH", f"/payout-structures/{named[0]}", json=rule)
        assert tenant.client.answer("DELETE", event_path(tenant, event))["data"]["mode"] == (
            "deactivate"
        )

    def test_a_rule_that_never_paid_does_not_keep_its_event(self, tenant: Tenant) -> None:
        event = tenant.conversion_event()
        archived, deleted = (tenant.payout_structure(conversion_rule(event)) for _ in range(2))
        tenant.client.data("DELETE", f"/payout-structures/{archived}")
        assert in_use(tenant, event)["structure_ids"] == [deleted]
        tenant.client.data("DELETE", f"/payout-structures/{deleted}", params={"mode": "hard"})
        hard = tenant.client.answer("DELETE", event_path(tenant, event), params={"mode": "hard"})
        assert hard["data"]["mode"] == "hard"

    def test_hard_needs_the_scope_admin(self, tenant: Tenant) -> None:
        event = tenant.conversion_event()
        query = {"mode": "hard"}
        with tenant.client_with("write") as client:
            meta = client.refusal(
                "DELETE", event_path(tenant, event), "insufficient_scope", params=query
            )
            assert meta["required"] == "admin"
        with tenant.client_with(role="member") as client:
            client.refusal("DELETE", event_path(tenant, event), "insufficient_role", params=query)
        assert tenant.client.data("GET", event_path(tenant, event))["is_active"]


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_an_event_of_another_project_is_absent(tenant: Tenant, method: str) -> None:
    event = tenant.conversion_event()
    administration = f"/organizations/{tenant.organization_id}/projects"
    project = tenant.client.data("POST", administration, json={"name": "Next"})
    path = f"/projects/{project['id']}/conversion-events/{event['id']}"
    request = {"json": {"name": "Mine"}} if method == "PATCH" else {}
    tenant.client.refusal(method, path, "conversion_event_not_found", **request)
