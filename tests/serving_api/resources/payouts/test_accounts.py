"""Payout accounts of creators over HTTP: for org admins alone, and encrypted in PostgreSQL."""

import json
from typing import Any

from sqlalchemy import select

from tests.fixtures.api import Tenant
from warehouse.encryption import PAYOUT_DETAILS, Encryption
from warehouse.operational.models import ChangeEntry, PayoutAccount, PayoutMethod

DETAILS = {"iban": "DE00 1234", "holder": {"name": "Zoë"}}


def methods(tenant: Tenant) -> list[PayoutMethod]:
    with tenant.api.store.read_session() as session:
        own = PayoutMethod.organization_id == tenant.organization_id
        return list(session.scalars(select(PayoutMethod).where(own).order_by(PayoutMethod.name)))


def settings(tenant: Tenant, **changes: Any) -> dict[str, Any]:
    return {"payout_method_id": str(methods(tenant)[0].id), "details": DETAILS, **changes}


def path_of(tenant: Tenant) -> str:
    return f"/creators/{tenant.creator()['id']}/payout-account"


def test_a_creator_has_none_at_first(tenant: Tenant) -> None:
    path = path_of(tenant)
    assert tenant.client.data("GET", path) is None
    assert tenant.client.data("DELETE", path) == {"deleted": False}


def test_an_account_is_read_and_replaced_whole(tenant: Tenant) -> None:
    path = path_of(tenant)
    body = settings(tenant)
    made = tenant.client.data("PUT", path, json=body)
    assert made == {
        "creator_id": path.split("/")[2],
        **body,
        "created_at": "2026-05-20T12:00:00Z",
        "updated_at": "2026-05-20T12:00:00Z",
    }
    assert tenant.client.data("GET", path) == made
    other = settings(tenant, payout_method_id=str(methods(tenant)[1].id), details={"mail": "a@b"})
    tenant.client.data("PUT", path, json=other)
    assert other.items() <= tenant.client.data("GET", path).items()
    assert tenant.client.data("DELETE", path) == {"deleted": True}
    assert tenant.client.data("GET", path) is None


def test_details_under_another_key_are_null_and_can_be_entered_again(tenant: Tenant) -> None:
    path = path_of(tenant)
    tenant.client.data("PUT", path, json=settings(tenant))
    with tenant.api.store.write_session() as session:
        own = PayoutAccount.organization_id == tenant.organization_id
        [account] = session.scalars(select(PayoutAccount).where(own))
        account.details_encrypted = Encryption(b"another").encrypt("{}", PAYOUT_DETAILS)
    assert tenant.client.data("GET", path)["details"] is None
    assert tenant.client.data("PUT", path, json=settings(tenant))["details"] == DETAILS
    assert tenant.client.data("GET", path)["details"] == DETAILS


def test_neither_the_database_nor_the_change_log_can_be_read(tenant: Tenant) -> None:
    tenant.client.data("PUT", path_of(tenant), json=settings(tenant))
    with tenant.api.store.read_session() as session:
        own = PayoutAccount.organization_id == tenant.organization_id
        [account] = session.scalars(select(PayoutAccount).where(own))
        changes = session.scalars(
            select(ChangeEntry.changes).where(
                ChangeEntry.organization_id == tenant.organization_id,
                ChangeEntry.entity_type == "payout_account",
            )
        ).all()
    assert b"DE00 1234" not in account.details_encrypted
    assert json.dumps(changes).count("(not shown)") == 1
    assert "DE00 1234" not in json.dumps(changes)


def test_the_method_has_to_be_ones_own_and_in_use(tenant: Tenant, other: Tenant) -> None:
    path = path_of(tenant)
    theirs = settings(other)
    tenant.client.refusal("PUT", path, "not_found", json=theirs)
    with tenant.api.store.write_session() as session:
        session.get_one(PayoutMethod, methods(tenant)[0].id).is_active = False
    meta = tenant.client.refusal("PUT", path, "conflict", json=settings(tenant))
    assert meta["reason"] == "inactive_payout_method"
    assert tenant.client.data("GET", path) is None


def test_a_removed_creator_may_still_be_owed_something(tenant: Tenant) -> None:
    path = path_of(tenant)
    tenant.client.data("DELETE", path.removesuffix("/payout-account"))
    tenant.client.data("PUT", path, json=settings(tenant))
    assert tenant.client.data("GET", path)["details"] == DETAILS
