"""Edits at the desk: campaigns and creators are renamed, changed and removed."""

import re
from html import unescape
from typing import Any, cast

import pytest
from sqlalchemy import QueuePool

from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter


@pytest.fixture
def campaigns(tenant: Tenant) -> list[str]:
    return [
        tenant.client.data(
            "POST", f"/projects/{tenant.project_id}/campaigns", json={"name": name}, status=201
        )["id"]
        for name in ("Outer", "Inner")
    ]


def test_a_campaign_is_renamed_and_given_a_target(
    admin: Sitter, tenant: Tenant, campaigns: list[str]
) -> None:
    edit = f"{admin.home}/campaigns/{campaigns[0]}/edit"
    refused = admin.send(edit, page=edit, name="Autumn", target_views="many")
    assert refused.status_code == 400
    assert "Enter a whole number" in refused.text
    assert 'value="Autumn"' in refused.text
    admin.send(edit, page=edit, name="Autumn", target_views="1,000", target_at="2026-06-30")
    campaign = tenant.client.data("GET", f"/campaigns/{campaigns[0]}")
    assert (campaign["name"], campaign["target_views"]) == ("Autumn", 1_000)
    assert "30 Jun 2026" in admin.get(f"{admin.home}/campaigns/{campaigns[0]}").text
    assert 'value="2026-06-30"' in admin.get(edit).text
    admin.send(edit, page=edit, name="Autumn", target_views="", target_at="")
    campaign = tenant.client.data("GET", f"/campaigns/{campaigns[0]}")
    assert (campaign["target_views"], campaign["target_at"]) == (None, None)


def test_campaigns_are_put_inside_each_other_but_in_no_circle(
    admin: Sitter, tenant: Tenant, campaigns: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    outer, inner = campaigns
    edit = f"{admin.home}/campaigns/{{}}/edit".format
    admin.send(edit(outer), page=edit(outer), put_in="yes", item_id=inner)
    items = f"/campaigns/{outer}/items"
    assert [item["item_id"] for item in tenant.client.data("GET", items)] == [inner]
    circle = admin.send(edit(inner), page=edit(inner), put_in="yes", item_id=outer)
    assert "A campaign cannot contain itself" in circle.text
    chosen = admin.send(edit(inner), page=edit(inner), put_in="yes", item_id="")
    assert "This field is required" in chosen.text
    # A campaign older than the listed options can be removed, too.
    monkeypatch.setattr("serving_api.desk.campaign_pages.editing.MOST_CAMPAIGNS", 1)
    newest = {"name": "Newest"}
    tenant.client.data("POST", f"/projects/{tenant.project_id}/campaigns", json=newest)
    assert f'name="take_out" value="{inner}"' in admin.get(edit(outer)).text
    admin.send(edit(outer), page=edit(outer), take_out=inner)
    assert tenant.client.data("GET", items) == []


def test_a_campaign_is_deleted_and_with_a_budget_by_admins_alone(
    admin: Sitter, tenant: Tenant, campaigns: list[str]
) -> None:
    budget = {
        "project_id": str(tenant.project_id),
        "campaign_id": campaigns[0],
        "name": "May",
        "amount_cents": 1,
    }
    tenant.client.data("POST", "/budgets", json=budget, status=201)
    member = Sitter(tenant, role="member")
    edit = f"{admin.home}/campaigns/{{}}/edit".format
    assert member.send(edit(campaigns[0]), page=edit(campaigns[0]), delete="yes").status_code == 403
    assert member.send(edit(campaigns[1]), page=edit(campaigns[1]), delete="yes").status_code == 303
    assert admin.send(edit(campaigns[0]), page=edit(campaigns[0]), delete="yes").status_code == 303
    assert tenant.client.data("GET", "/campaigns") == []


def account_of(tenant: Tenant, creator: Any) -> Any:
    [account] = tenant.client.data("GET", f"/creators/{creator['id']}")["accounts"]
    return account


def test_a_creator_is_renamed_and_tracked_otherwise(admin: Sitter, tenant: Tenant) -> None:
    creator = tenant.creator("ada", display_name="Ada")
    account = creator["accounts"][0]["id"]
    edit = f"{admin.home}/creators/{creator['id']}/edit"
    sent = {
        "display_name": "Ada L.",
        f"tracking_mode.{account}": "hashtag",
        f"tracking_hashtags.{account}": "",
        f"tracking_start_date.{account}": "2026-05-01",
        f"tracking_end_date.{account}": "2026-05-31",
    }
    refused = admin.send(edit, page=edit, **sent)
    assert refused.status_code == 400
    assert f'id="wrong-tracking_hashtags.{account}"' in refused.text
    assert tenant.client.data("GET", f"/creators/{creator['id']}")["display_name"] == "Ada"
    early = {
        **sent,
        f"tracking_mode.{account}": "auto",
        f"tracking_end_date.{account}": "2026-04-01",
    }
    refused = admin.send(edit, page=edit, **early)
    assert f'id="wrong-tracking_end_date.{account}"' in refused.text
    sent[f"tracking_hashtags.{account}"] = "#spring ad"
    assert admin.send(edit, page=edit, **sent).status_code == 303
    assert tenant.client.data("GET", f"/creators/{creator['id']}")["display_name"] == "Ada L."
    tracked = account_of(tenant, creator)
    assert (tracked["tracking_mode"], tracked["tracking_hashtags"]) == ("hashtag", ["spring", "ad"])
    assert tracked["tracking_start_date"] == "2026-05-01"
    assert tracked["tracking_end_date"] == "2026-05-31"
    assert 'value="spring ad"' in admin.get(edit).text


def form_of(page: str) -> dict[str, str]:
    """The fields of a page's forms, as a browser sends them unchanged."""
    fields = re.findall(r'<input[^>]* name="([^"]+)"[^>]* value="([^"]*)"', page)
    chosen = re.findall(r'<select[^>]* name="([^"]+)".*?value="([^"]*)" selected', page, re.DOTALL)
    return {name: unescape(value) for name, value in fields + chosen if name not in {"once", "q"}}


@pytest.mark.slow
def test_a_stale_form_keeps_another_users_changes(
    admin: Sitter, tenant: Tenant, campaigns: list[str]
) -> None:
    creator = tenant.creator("ada", display_name="Ada")
    account = creator["accounts"][0]["id"]
    edit = f"{admin.home}/creators/{creator['id']}/edit"
    stale = form_of(admin.get(edit).text)
    end = {"tracking_end_date": "2026-05-31"}
    tenant.client.data("PATCH", f"/accounts/{account}", json=end)
    renamed = {**stale, "display_name": "Ada L."}
    assert admin.post(edit, data=renamed).status_code == 303
    assert tenant.client.data("GET", f"/creators/{creator['id']}")["display_name"] == "Ada L."
    assert account_of(tenant, creator)["tracking_end_date"] == "2026-05-31"

    edit = f"{admin.home}/campaigns/{campaigns[0]}/edit"
    path = f"/campaigns/{campaigns[0]}"
    tenant.client.data("PATCH", path, json={"target_at": "2026-06-30T12:00:00Z"})
    stale = form_of(admin.get(edit).text)
    tenant.client.data("PATCH", path, json={"target_views": 1_000})
    assert admin.post(edit, data={**stale, "name": "Autumn"}).status_code == 303
    campaign = tenant.client.data("GET", path)
    assert (campaign["name"], campaign["target_views"]) == ("Autumn", 1_000)
    assert campaign["target_at"].startswith("2026-06-30T12:00:00")


def test_days_that_no_calendar_of_ours_has_are_refused_at_the_field(
    admin: Sitter, campaigns: list[str]
) -> None:
    edit = f"{admin.home}/campaigns/{campaigns[0]}/edit"
    for day in ("9999-12-31", "0001-01-01"):
        refused = admin.send(edit, page=edit, name="Outer", target_at=day)
        assert refused.status_code == 400
        assert "Enter a date from 2000 to 2099" in refused.text


def test_a_creator_is_removed_by_admins_alone(admin: Sitter, tenant: Tenant) -> None:
    creator = tenant.creator("ada", display_name="Ada")
    edit = f"{admin.home}/creators/{creator['id']}/edit"
    member = Sitter(tenant, role="member")
    assert "Remove creator" not in member.get(edit).text
    assert member.send(edit, page=edit, remove="yes").status_code == 403
    assert admin.send(edit, page=edit, remove="yes").status_code == 303
    assert not tenant.client.data("GET", f"/creators/{creator['id']}")["is_active"]


def test_a_removed_creator_is_added_again(admin: Sitter, tenant: Tenant) -> None:
    creator = tenant.creator("ada", display_name="Ada")
    tenant.client.data("DELETE", f"/creators/{creator['id']}")
    page = admin.get(f"{admin.home}/creators/{creator['id']}").text
    assert f'<a href="{admin.home}/creators/new">add them as a new creator</a>' in page


REACTIVATION = {"missed_posts": "inbox", "existing_videos": "resume"}


def test_a_deactivated_creator_is_reactivated_by_admins_alone(
    admin: Sitter, tenant: Tenant
) -> None:
    creator = tenant.creator("ada", display_name="Ada")
    edit = f"{admin.home}/creators/{creator['id']}/edit"
    assert "Reactivate" not in admin.get(edit).text
    tenant.client.data(
        "POST", f"/creators/{creator['id']}/deactivate", json={"videos": "freeze"}, status=200
    )
    member = Sitter(tenant, role="member")
    assert "Reactivate" not in member.get(edit).text
    sent = {"reactivate": "creator", **REACTIVATION}
    assert member.send(edit, page=edit, **sent).status_code == 403
    assert "Reactivate <bdi>creator</bdi>" in admin.get(edit).text
    assert admin.send(edit, page=edit, **sent).status_code == 303
    assert account_of(tenant, creator)["deactivated_at"] is None


def test_a_deactivated_account_is_reactivated(admin: Sitter, tenant: Tenant) -> None:
    creator = tenant.creator("ada", display_name="Ada")
    edit = f"{admin.home}/creators/{creator['id']}/edit"
    account_id = account_of(tenant, creator)["id"]
    path = f"/accounts/{account_id}/deactivate"
    tenant.client.data("POST", path, json={"videos": "freeze"}, status=200)
    assert "Reactivate <bdi>TikTok @ada</bdi>" in admin.get(edit).text
    refused = admin.send(edit, page=edit, reactivate=account_id, missed_posts="")
    assert refused.status_code == 400
    assert 'value="Ada"' in refused.text
    sent = {"reactivate": account_id, **REACTIVATION}
    assert admin.send(edit, page=edit, **sent).status_code == 303
    assert account_of(tenant, creator)["deactivated_at"] is None


def test_a_deactivated_creator_is_reactivated_before_its_accounts(
    admin: Sitter, tenant: Tenant
) -> None:
    """Its only account was deactivated earlier, so that none was deactivated with it."""
    creator = tenant.creator("ada", display_name="Ada")
    edit = f"{admin.home}/creators/{creator['id']}/edit"
    account_id = account_of(tenant, creator)["id"]
    for path in (f"/accounts/{account_id}", f"/creators/{creator['id']}"):
        tenant.client.data("POST", f"{path}/deactivate", json={"videos": "freeze"}, status=200)
    for pressed in ("creator", account_id):
        [offered] = re.findall(r'name="reactivate" value="([^"]+)"', admin.get(edit).text)
        assert offered == pressed
        assert admin.send(edit, page=edit, reactivate=pressed, **REACTIVATION).status_code == 303
    assert account_of(tenant, creator)["deactivated_at"] is None


def test_the_form_reactivates_no_account_of_another_creator(admin: Sitter, tenant: Tenant) -> None:
    ada, eve = (tenant.creator(name) for name in ("ada", "eve"))
    account_id = account_of(tenant, eve)["id"]
    path = f"/accounts/{account_id}/deactivate"
    tenant.client.data("POST", path, json={"videos": "freeze"}, status=200)
    edit = f"{admin.home}/creators/{ada['id']}/edit"
    refused = admin.send(edit, page=edit, reactivate=account_id, **REACTIVATION)
    assert refused.status_code == 404
    assert account_of(tenant, eve)["deactivated_at"]


def test_a_refused_form_leaves_no_transaction_behind(admin: Sitter, tenant: Tenant) -> None:
    creator = tenant.creator("ada")
    edit = f"{admin.home}/creators/{creator['id']}/edit"
    date = f"tracking_start_date.{creator['accounts'][0]['id']}"
    connections = cast("QueuePool", tenant.api.store.engine.pool)
    for _ in range(3):
        assert admin.send(edit, page=edit, **{date: "soon"}).status_code == 400
        assert connections.checkedout() == 0
