"""Changes that affect pay name a version, so that two do not overwrite each other."""

import html
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tests.factories.payouts import rule
from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter


class Priced(NamedTuple):
    """A resource that affects pay: its addresses, its version, and two changes."""

    path: str
    page: str
    version: Callable[[Any], Any]
    first: dict[str, Any]
    second: dict[str, Any]


def budget(tenant: Tenant) -> Priced:
    body = {"project_id": str(tenant.project_id), "name": "May", "amount_cents": 500}
    made = tenant.client.data("POST", "/budgets", json=body)
    return Priced(
        f"/budgets/{made['id']}",
        f"budgets/{made['id']}",
        lambda answer: answer["version"],
        {"amount_cents": 900},
        {"amount_cents": 100},
    )


def structure(tenant: Tenant) -> Priced:
    structure_id = tenant.payout_structure(rule("recurring"))
    kind = {"kind": "rule", **rule("recurring")}
    return Priced(
        f"/payout-structures/{structure_id}",
        f"structures/{structure_id}",
        lambda answer: answer["current_version"]["version_number"],
        {**kind, "amount_cents": 900},
        {**kind, "amount_cents": 100},
    )


def goal(tenant: Tenant) -> Priced:
    creator = tenant.creator()
    made = tenant.goal(creator, metric="posts", period="weekly", target_value=500)
    return Priced(
        f"/creators/{creator['id']}/goals/{made['id']}",
        f"goals/{creator['id']}/{made['id']}",
        lambda answer: answer["version"],
        {"target_value": 900},
        {"target_value": 100},
    )


KINDS = [budget, structure, goal]


def read(tenant: Tenant, priced: Priced) -> Any:
    listed, _, own = priced.path.rpartition("/")
    if not listed.endswith("/goals"):
        return tenant.client.data("GET", priced.path)
    [row] = [row for row in tenant.client.data("GET", listed) if row["id"] == own]
    return row


@pytest.mark.parametrize("kind", KINDS)
def test_an_older_version_is_refused(tenant: Tenant, kind: Callable[[Tenant], Priced]) -> None:
    priced = kind(tenant)
    seen = priced.version(read(tenant, priced))
    expected = {"expected_version": seen}
    tenant.client.data("PATCH", priced.path, json={**priced.first, **expected})
    now = read(tenant, priced)
    meta = tenant.client.refusal(
        "PATCH", priced.path, "version_conflict", json={**priced.second, **expected}
    )
    current = priced.version(now)
    assert (meta["expected_version"], meta["current_version"]) == (seen, current)
    [changed] = {"amount_cents", "target_value"} & meta["current"].keys()
    assert meta["current"][changed] == 900
    assert read(tenant, priced) == now
    tenant.client.data("PATCH", priced.path, json={**priced.second, "expected_version": current})
    tenant.client.data("PATCH", priced.path, json=priced.first)


FORMS: dict[Callable[[Tenant], Priced], tuple[dict[str, str], list[str]]] = {
    budget: (
        {"name": "May", "amount_cents": "1", "thresholds": ""},
        ["Amount in dollars: 5.00 → 9.00"],
    ),
    goal: ({"metric": "views", "period": "daily", "target_value": "1"}, ["Target: 500 → 900"]),
}
CHANGE = re.compile(r"<p>([^<]* → [^<]*)</p>")


@pytest.mark.parametrize("kind", FORMS)
def test_open_pages_undo_no_changes(tenant: Tenant, kind: Callable[[Tenant], Priced]) -> None:
    priced, (fields, change) = kind(tenant), FORMS[kind]
    admin = Sitter(tenant)
    page = f"{admin.home}/settings/{priced.page}"
    old = str(priced.version(read(tenant, priced)))
    form = admin.get(page).text
    assert f'name="expected_version" value="{old}"' in form
    [seen] = re.findall('name="seen" value="([^"]+)"', form)
    fields |= {"expected_version": old, "seen": html.unescape(seen)}
    tenant.client.data("PATCH", priced.path, json=priced.first)
    unread = admin.send(page, page=page, **{**fields, "amount_cents": "x", "target_value": "x"})
    assert unread.status_code == 400
    assert f'name="expected_version" value="{old}"' in unread.text
    assert f'name="seen" value="{seen}"' in unread.text
    refused = admin.send(page, page=page, **fields)
    assert refused.status_code == 409
    assert "This changed in the meantime" in refused.text
    assert CHANGE.findall(refused.text) == change
    current = str(priced.version(read(tenant, priced)))
    assert f'name="expected_version" value="{current}"' in refused.text
    fields |= {"expected_version": current}
    assert admin.send(page, page=page, **fields).status_code == 303


def test_a_tier_that_came_between_is_shown_by_its_step(tenant: Tenant) -> None:
    admin = Sitter(tenant)
    page = f"{admin.home}/settings/structures/{tenant.payout_structure(rule('cpm'))}"
    kind = {"kind": "cpm", "period": "weekly", "platform_scope": "all"}
    prices = {
        "criteria_params.tiers.0.up_to_impressions": "1000",
        "criteria_params.tiers.0.cents_per_thousand": "1.00",
        "criteria_params.tiers.1.cents_per_thousand": "0.10",
    }
    fields = {**kind, **prices, "expected_version": "1"}
    for version in ("1", "2"):
        sent = {**fields, "expected_version": version}
        read = admin.send(page, page=page, **sent).text
        [sentence] = re.findall('name="sentence" value="([^"]+)"', read)
        assert admin.send(page, page=page, **sent, sentence=html.unescape(sentence)).is_redirect
        fields["criteria_params.tiers.1.cents_per_thousand"] = "0.20"
    refused = admin.send(page, page=page, **{**fields, "expected_version": "2"})
    assert refused.status_code == 409
    assert CHANGE.findall(refused.text) == ["Dollars per 1,000, row 2: 0.10 → 0.20"]
