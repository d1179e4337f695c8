"""Payout methods: three by default, added ones, and none deleted while it is in use."""

from typing import Any

import pytest

from tests.factories.payouts import add_payment
from tests.fixtures.api import Tenant

METHODS = "/payout-methods"


def path_of(method: Any) -> str:
    return f"{METHODS}/{method['id']}"


def added(tenant: Tenant, name: str = "Cash", **body: Any) -> Any:
    return tenant.client.data("POST", METHODS, json={"name": name, **body})


def default_of(tenant: Tenant) -> Any:
    return next(each for each in tenant.client.data("GET", METHODS) if each["is_default"])


def names(listed: Any) -> list[str]:
    return [method["name"] for method in listed]


class TestLists:
    def test_an_organization_starts_with_three(self, tenant: Tenant) -> None:
        listed = tenant.client.answer("GET", METHODS)
        assert sorted(names(listed["data"])) == ["Bank transfer", "PayPal", "Wise"]
        assert all(each["is_default"] and each["is_active"] for each in listed["data"])
        assert listed["meta"] == {"hasMore": False, "nextCursor": None}

    @pytest.mark.parametrize("flag", ["1", "true"])
    def test_admins_list_disabled_ones_on_request(self, tenant: Tenant, flag: str) -> None:
        method = added(tenant)
        tenant.client.data("PATCH", path_of(method), json={"is_active": False})
        assert "Cash" not in names(tenant.client.data("GET", METHODS))
        everything = {"include_disabled": flag}
        assert "Cash" in names(tenant.client.data("GET", METHODS, params=everything))
        with tenant.client_with(role="member") as member:
            assert "Cash" not in names(member.data("GET", METHODS))
            member.refusal("GET", METHODS, "insufficient_role", params=everything)
            assert member.data("GET", path_of(method))["is_active"] is False


class TestCreate:
    def test_defaults(self, tenant: Tenant) -> None:
        method = added(tenant)
        assert method == {
            "id": method["id"],
            "org_id": str(tenant.organization_id),
            "name": "Cash",
            "icon_url": None,
            "is_default": False,
            "is_active": True,
            "metadata": {},
            "readme": None,
            "created_at": "2026-05-20T12:00:00Z",
        }
        assert tenant.client.data("GET", path_of(method)) == method

    def test_all_fields(self, tenant: Tenant) -> None:
        body = {"name": "n" * 100, "metadata": {"fee": 2}, "readme": "# Ask first"}
        assert body.items() <= added(tenant, **body).items()

    def test_nulls_are_defaults(self, tenant: Tenant) -> None:
        method = added(tenant, icon_path=None, metadata=None, readme=None)
        assert (method["icon_url"], method["metadata"], method["readme"]) == (None, {}, None)

    def test_long_notes_are_refused(self, tenant: Tenant) -> None:
        body = {"name": "Cash", "readme": "x" * 50_001}
        tenant.client.refusal("POST", METHODS, "notes_too_long", json=body)


class TestChange:
    def test_each_field_alone(self, tenant: Tenant) -> None:
        method = added(tenant, metadata={"a": 1}, readme="First")
        for change in (
            {"name": "Gold"},
            {"is_active": False},
            {"is_active": True},
            {"metadata": {"b": 2}},
            {"readme": "Second"},
            {"readme": None},
        ):
            changed = tenant.client.data("PATCH", path_of(method), json=change)
            assert changed == method | change
            method = changed
        assert tenant.client.data("GET", path_of(method)) == method

    def test_a_default_one_can_be_renamed_and_disabled(self, tenant: Tenant) -> None:
        method = default_of(tenant)
        change = {"name": "SEPA", "is_active": False}
        assert tenant.client.data("PATCH", path_of(method), json=change) == method | change

    def test_its_notes_are_a_document(self, tenant: Tenant) -> None:
        method = added(tenant, readme="Ask first")
        path = f"/notes/payout_method/{method['id']}"
        note = tenant.client.data("GET", path)
        assert (note["readme"], note["edit_rule"]) == ("Ask first", "org_admin")
        append = {"mode": "append", "content": "Twice"}
        with tenant.client_with(role="member") as member:
            member.refusal("POST", path, "insufficient_role", json=append)
        tenant.client.data("POST", path, json=append)
        assert "Twice" in tenant.client.data("GET", path_of(method))["readme"]
        listed = tenant.client.data("GET", "/notes", params={"entity_type": "payout_method"})
        assert [each["name"] for each in listed] == ["Cash"]


class TestDelete:
    def test_an_added_method(self, tenant: Tenant) -> None:
        method = added(tenant)
        assert tenant.client.data("DELETE", path_of(method)) == {"deleted": True}
        tenant.client.refusal("DELETE", path_of(method), "not_found")
        assert "Cash" not in names(tenant.client.data("GET", METHODS))

    def test_default_methods_cannot_be_deleted(self, tenant: Tenant) -> None:
        path = path_of(default_of(tenant))
        tenant.client.refusal("DELETE", path, "default_method")
        tenant.client.data("PATCH", path, json={"is_active": False})
        tenant.client.refusal("DELETE", path, "default_method")

    def test_methods_of_creators_cannot_be_deleted(self, tenant: Tenant) -> None:
        method = added(tenant)
        account = f"/creators/{tenant.creator()['id']}/payout-account"
        body = {"payout_method_id": method["id"], "details": {}}
        tenant.client.data("PUT", account, json=body)
        self.refused(tenant, method, payout_accounts=1, payments=0)
        tenant.client.data("DELETE", account)
        assert tenant.client.data("DELETE", path_of(method)) == {"deleted": True}

    def test_methods_of_payments_cannot_be_deleted(self, tenant: Tenant) -> None:
        method = added(tenant)
        add_payment(tenant, tenant.creator()["id"], method["id"])
        self.refused(tenant, method, payout_accounts=0, payments=1)

    def refused(self, tenant: Tenant, method: Any, **uses: int) -> None:
        meta = tenant.client.refusal("DELETE", path_of(method), "conflict")
        assert meta == {"code": "conflict", "reason": "payout_method_in_use", **uses}
        assert tenant.client.data("GET", path_of(method)) == method
