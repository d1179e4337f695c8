"""A change of what costs money names its version, so that two do not undo each other."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tests.factories.payouts import rule
from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter


class Priced(NamedTuple):
    """Something that costs money: where it is, and two changes of it."""

    path: str
    page: str
    version: Callable[[Any], Any]
    first: dict[str, Any]
    second: dict[str, Any]


def budget(tenant: Tenant) -> Priced:
    body = {"project_id": str(tenant.project_id), "name": "May", "amount_cents": 500}
    made = tenant.client.data("POST", "/budgets", json=body, status=201)
    return Priced(
        f"/budgets/{made['id']}",
        f"budgets/{made['id']}",
        lambda shown: shown["version"],
        {"amount_cents": 900},
        {"amount_cents": 100},
    )


def structure(tenant: Tenant) -> Priced:
    structure_id = tenant.payout_structure(rule("recurring"))
    kind = {"kind": "rule", **rule("recurring")}
    return Priced(
        f"/payout-structures/{structure_id}",
        f"structures/{structure_id}",
        lambda shown: shown["current_version"]["version_number"],
        {**kind, "amount_cents": 900},
        {**kind, "amount_cents": 100},
    )


KINDS = [budget, structure]


def read(tenant: Tenant, priced: Priced) -> Any:
    """What it is now."""
    return tenant.client.data("GET", priced.path)


@pytest.mark.parametrize("kind", KINDS)
def test_a_change_of_an_older_version_is_refused_with_both(
    tenant: Tenant, kind: Callable[[Tenant], Priced]
) -> None:
    priced = kind(tenant)
    seen = priced.version(read(tenant, priced))
    expected = {"expected_version": seen}
    tenant.client.data("PATCH", priced.path, json={**priced.first, **expected})
    now = read(tenant, priced)
    meta = tenant.client.refusal(
        "PATCH",
        priced.path,
        json={**priced.second, **expected},
        status=409,
        code="version_conflict",
    )
    current = priced.version(now)
    assert (meta["expected_version"], meta["current_version"]) == (seen, current)
    assert meta["current"]["amount_cents"] == 900
    assert read(tenant, priced) == now
    tenant.client.data("PATCH", priced.path, json={**priced.second, "expected_version": current})
    tenant.client.data("PATCH", priced.path, json=priced.first)


FORMS: dict[Callable[[Tenant], Priced], tuple[dict[str, str], str]] = {
    budget: ({"name": "May", "amount_cents": "1", "thresholds": ""}, "amount_cents: 900"),
}


@pytest.mark.parametrize("kind", FORMS)
def test_an_open_page_undoes_no_change_that_came_between(
    tenant: Tenant, kind: Callable[[Tenant], Priced]
) -> None:
    priced, (fields, change) = kind(tenant), FORMS[kind]
    admin = Sitter(tenant)
    page = f"{admin.home}/settings/{priced.page}"
    old = str(priced.version(read(tenant, priced)))
    assert f'name="expected_version" value="{old}"' in admin.get(page).text
    tenant.client.data("PATCH", priced.path, json=priced.first)
    refused = admin.send(page, page=page, **fields, expected_version=old)
    assert refused.status_code == 409
    assert "This was changed in the meantime" in refused.text
    assert change in refused.text
    current = str(priced.version(read(tenant, priced)))
    assert f'name="expected_version" value="{current}"' in refused.text
    assert admin.send(page, page=page, **fields, expected_version=current).status_code == 303


def test_an_open_page_of_a_rule_shows_what_came_between(tenant: Tenant) -> None:
    priced, admin = structure(tenant), Sitter(tenant)
    page = f"{admin.home}/settings/{priced.page}"
    assert 'name="expected_version" value="1"' in admin.get(page).text
    tenant.client.data("PATCH", priced.path, json=priced.first)
    fields = {"kind": "recurring", "period": "monthly", "proration_mode": "skip"}
    refused = admin.send(
        page, page=page, **fields, amount_cents="1", currency="USD", expected_version="1"
    )
    assert refused.status_code == 409, refused.text
    assert "This was changed in the meantime" in refused.text
