"""Admins create, change and delete budgets at the desk."""

import re
from html import unescape

import pytest

from tests.factories.visitors import read
from tests.fixtures.api import Tenant, new_tenant
from tests.fixtures.desk import Sitter

HOSTILE = "<b>May</b>"
WRITE_DOLLARS = "Enter dollars with a point as decimal separator (1.50 or 1,000.00)"
WRITE_PERCENTAGES = "Enter whole percentages separated by a comma and a space (80, 100)"


@pytest.mark.slow
def test_one_is_made_changed_and_deleted(tenant: Tenant, admin: Sitter) -> None:
    address = f"{admin.home}/settings/budgets"
    assert f'href="{address}"' in admin.get(admin.home).text
    campaign = tenant.client.data(
        "POST", f"/projects/{tenant.project_id}/campaigns", json={"name": "Spring"}
    )
    sent = {"name": HOSTILE, "amount_cents": "1,200.50", "thresholds": "50%, 90"}
    of = {"of": f"campaign.{campaign['id']}", "period": "monthly", "on_exceeded": "yes"}
    assert admin.send(address, page=address, **sent, **of).status_code == 303
    [budget] = tenant.client.data("GET", "/budgets")
    assert (budget["campaign_id"], budget["period"]) == (campaign["id"], "monthly")
    assert (budget["amount_cents"], budget["thresholds"]) == (120_050, [50, 90])
    assert budget["on_exceeded"] == "stop_assignments"
    assert f"{HOSTILE} Campaign Spring, per calendar month $1,200.50" in read(admin.get(address))
    budget_path = f"{address}/{budget['id']}"
    filled = admin.get(budget_path).text
    assert 'value="1,200.50"' in filled
    assert 'value="50, 90"' in filled
    assert HOSTILE not in filled
    changed = {"name": "May", "amount_cents": "900", "thresholds": ""}
    assert admin.send(budget_path, page=budget_path, **changed).status_code == 303
    [budget] = tenant.client.data("GET", "/budgets")
    assert (budget["name"], budget["amount_cents"], budget["thresholds"]) == ("May", 90_000, [])
    assert (budget["on_exceeded"], budget["period"]) == ("warn", "monthly")
    with new_tenant(tenant.api) as other:
        elsewhere = Sitter(other)
        assert elsewhere.get(f"{elsewhere.home}/settings/budgets/{budget['id']}").status_code == 404
    admin.send(budget_path, page=budget_path, delete="yes")
    assert tenant.client.data("GET", "/budgets") == []


def test_the_overview_names_the_month_of_a_budget_once(tenant: Tenant, admin: Sitter) -> None:
    own = {"project_id": str(tenant.project_id), "amount_cents": 100, "period": "monthly"}
    for name in ("May money", "Snacks"):
        tenant.client.data("POST", "/budgets", json={**own, "name": name}, status=201)
    text = read(admin.get(admin.home))
    assert "May money 0%" in text
    assert "Snacks May 0%" in text


def test_a_file_of_budgets_includes_the_ones_that_the_page_omits(
    tenant: Tenant, admin: Sitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("May", "June"):
        body = {"project_id": str(tenant.project_id), "name": name, "amount_cents": 100}
        tenant.client.data("POST", "/budgets", json=body, status=201)
    monkeypatch.setattr("serving_api.desk.settings.budgets.MOST_LISTED", 1)
    file = admin.get(f"{admin.home}/settings/budgets?format=csv").text
    assert len(file.splitlines()) == 3
    page = admin.get(f"{admin.home}/settings/budgets").text
    assert "<bdi>May</bdi>" not in page
    [older] = re.findall(r'href="([^"]+)">\s*Older', page)
    assert "<bdi>May</bdi>" in admin.get(unescape(older)).text


@pytest.mark.parametrize(
    ("sent", "field", "message"),
    [
        ({"name": " "}, "name", "This field is required"),
        ({"amount_cents": ""}, "amount_cents", "This field is required"),
        ({"amount_cents": "0"}, "amount_cents", "This amount is too small"),
        ({"amount_cents": "9,50"}, "amount_cents", WRITE_DOLLARS),
        ({"thresholds": "half"}, "thresholds", WRITE_PERCENTAGES),
        ({"thresholds": "80,5"}, "thresholds", WRITE_PERCENTAGES),
        ({"thresholds": "80" + "  80" * 200 + "x"}, "thresholds", WRITE_PERCENTAGES),
        ({"thresholds": "80, 1,000"}, "thresholds", WRITE_PERCENTAGES),
        ({"thresholds": "0"}, "thresholds", "Enter 1 or more"),
        ({"thresholds": "90, 80"}, "thresholds", "Enter each number once, smallest first"),
        ({"of": "campaign.nonsense"}, "of", "Choose an option"),
    ],
)
def test_errors_are_shown_beside_their_fields(
    admin: Sitter, tenant: Tenant, sent: dict[str, str], field: str, message: str
) -> None:
    address = f"{admin.home}/settings/budgets"
    good = {"name": "May", "amount_cents": "10", "thresholds": "80"}
    refused = admin.send(address, page=address, **good | sent)
    assert refused.status_code == 400
    assert re.findall(r'id="wrong-([^"]+)">([^<]+)<', refused.text) == [(field, message)]
    assert tenant.client.data("GET", "/budgets") == []


@pytest.mark.parametrize(
    "seen", ['{"gone": "1"}', '{"². name": "1"}', '{"name": "\\ud800"}', "[" * 4_000, "null"]
)
def test_a_stale_form_with_seen_values_of_its_own_is_refused(
    admin: Sitter, tenant: Tenant, seen: str
) -> None:
    body = {"project_id": str(tenant.project_id), "name": "May", "amount_cents": 1_000}
    budget = tenant.client.data("POST", "/budgets", json=body, status=201)
    page = f"{admin.home}/settings/budgets/{budget['id']}"
    sent = {"name": "June", "amount_cents": "10", "expected_version": "stale", "seen": seen}
    refused = admin.send(page, page=page, **sent)
    assert refused.status_code == 409
    assert "This changed in the meantime" in refused.text


def test_a_stale_form_is_saved_again_without_what_another_admin_changed(
    admin: Sitter, tenant: Tenant
) -> None:
    """One admin renames and leaves the box empty; the other raised the amount and ticked it."""
    body = {"project_id": str(tenant.project_id), "name": "May", "amount_cents": 100_000}
    budget = tenant.client.data("POST", "/budgets", json=body, status=201)
    page = f"{admin.home}/settings/budgets/{budget['id']}"

    def form_in(text: str) -> dict[str, str]:
        """The fields and ticked boxes that a browser would send."""
        inputs = re.findall(r'<input[^>]* name="([^"]+)"[^>]* value="([^"]*)"([^>]*)>', text)
        names = {"name", "amount_cents", "thresholds", "on_exceeded", "expected_version", "seen"}
        return {
            name: unescape(value)
            for name, value, flags in inputs
            if name in names and (name != "on_exceeded" or "checked" in flags)
        }

    mine = form_in(admin.get(page).text) | {"name": "June"}
    raised = {"amount_cents": 500_000, "on_exceeded": "stop_assignments"}
    tenant.client.data("PATCH", f"/budgets/{budget['id']}", json=raised)
    refused = admin.send(page, page=page, **mine)
    assert "Amount in dollars: 1,000.00 → 5,000.00" in refused.text
    again = form_in(refused.text)
    assert (again["name"], again["amount_cents"]) == ("June", "5,000.00")
    assert admin.send(page, page=page, **again).status_code == 303
    [stored] = tenant.client.data("GET", "/budgets")
    assert {name: stored[name] for name in raised} == raised
    assert stored["name"] == "June"
