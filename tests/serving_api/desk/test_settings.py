"""Settings at the desk: members and keys."""

import re
from html import unescape

import pytest

from tests.factories.visitors import read
from tests.fixtures.api import Api, Tenant, new_tenant
from tests.fixtures.desk import Sitter

HOSTILE = '"><img src=x onerror=alert(1)> \u202e'


def value_of(page: str, name: str) -> str:
    """The value of the field of this name."""
    [value] = re.findall(rf'id="{name}"[^>]* value="([^"]*)"', page)
    return unescape(str(value))


def roles(tenant: Tenant) -> dict[str, str]:
    return {member["user_id"]: member["role"] for member in tenant.client.data("GET", "/members")}


def test_admins_change_roles_and_end_memberships(tenant: Tenant, admin: Sitter) -> None:
    settings, other = f"{admin.home}/settings", str(tenant.add_member("member"))
    assert admin.send(settings, page=settings, admin=other).status_code == 303
    assert roles(tenant)[other] == "admin"
    admin.send(settings, page=settings, member=other)
    assert roles(tenant)[other] == "member"
    admin.send(settings, page=settings, remove=other)
    assert other not in roles(tenant)


def test_pages_show_what_ends_with_the_calendar(api: Api) -> None:
    """In Tokyo the last day of 9999 extends into the year 10000, which dates cannot hold."""
    with new_tenant(api, tz="Asia/Tokyo") as tenant:
        never, client = "9999-12-31T23:59:59Z", tenant.client
        keys = f"/organizations/{tenant.organization_id}/api-keys"
        client.data("POST", keys, json={"name": "for ever", "expires_at": never})
        campaign = tenant.campaign()["id"]
        target = {"target_views": 1000, "target_at": never}
        client.data("PATCH", f"/campaigns/{campaign}", json=target)
        report = {"campaign_id": campaign, "expires_at": never}
        client.data("POST", f"/projects/{tenant.project_id}/reports", json=report)
        admin = Sitter(tenant)
        for page in ("settings/keys", "settings/reports", f"campaigns/{campaign}"):
            assert "31 Dec 9999" in read(admin.get(f"{admin.home}/{page}"))
        form = admin.get(f"{admin.home}/campaigns/{campaign}/edit")
        assert value_of(form.text, "target_at") == "9999-12-31"


def test_the_organization_changes_the_edited_fields(tenant: Tenant, admin: Sitter) -> None:
    page = f"{admin.home}/settings/organization"
    form = admin.get(page).text
    seen, _of_comments = re.findall(r'name="seen" value="([^"]*)"', form)
    sent = {
        "seen": unescape(seen),
        "name": "Renamed",
        "analytics_tz": "UTC",
        "payout_settling_days": "5",
    }
    # Another admin changes the zone meanwhile, which remains.
    path = f"/organizations/{tenant.organization_id}"
    tenant.client.data("PATCH", path, json={"analytics_tz": "Asia/Tokyo"})
    answer = admin.send(f"{page}/details", page=page, **sent)
    assert "Organization saved." in read(admin.get(answer.headers["Location"]))
    made = tenant.client.data("GET", path)
    assert (made["name"], made["payout_settling_days"]) == ("Renamed", 5)
    assert made["analytics_tz"] == "Asia/Tokyo"
    form = admin.get(page).text
    seen, _of_comments = re.findall(r'name="seen" value="([^"]*)"', form)
    sent |= {"seen": unescape(seen), "analytics_tz": "America/New_York"}
    warning = unescape(admin.send(f"{page}/details", page=page, **sent).text)
    [sentence] = re.findall(r'name="sentence" value="([^"]*)"', warning)
    answer = admin.send(f"{page}/details", page=page, **sent, sentence=sentence)
    words = "Organization saved. Zone: America/New_York, from the next numbers on."
    assert words in read(admin.get(answer.headers["Location"]))


def test_an_invalid_organization_form_explains_the_error(admin: Sitter) -> None:
    page = f"{admin.home}/settings/organization"
    for field, value in (("analytics_tz", "Europe/Atlantis"), ("payout_settling_days", "31")):
        sent = {"name": "Acme", "analytics_tz": "UTC", "payout_settling_days": "3", field: value}
        answer = admin.send(f"{page}/details", page=page, **sent)
        assert answer.status_code == 400
        assert f'id="wrong-{field}"' in answer.text
        assert value in answer.text


def test_an_invitation_lists_what_members_see(tenant: Tenant, admin: Sitter) -> None:
    """Each statement matches what REST, MCP and the desk's overview show a member."""
    page = read(admin.get(f"{admin.home}/settings/invite"))
    organization = f"/organizations/{tenant.organization_id}"
    creator = f"/creators/{tenant.creator()['id']}"
    seen = {
        "numbers": f"/projects/{tenant.project_id}/program-health",
        "posts": "/videos",
        "comments": f"/projects/{tenant.project_id}/comments",
        "pay rules": "/payout-structures",
        "amounts": "/payout-accruals",
        "payments": "/payout-payments",
        "budgets": "/budgets",
    }
    hidden = {
        "Payout details": f"{creator}/payout-account",
        "share links": f"{creator}/share-link",
        "reports": f"/projects/{tenant.project_id}/reports",
        "API keys": f"{organization}/api-keys",
        "webhooks": "/webhook-endpoints",
        "invitations": f"{organization}/invitations",
    }
    [sees] = re.findall("Sees All projects: (.+) Everything Does not", page)
    [sees_not] = re.findall("Does not see (.+) — Can", page)
    assert re.split(", | and ", sees) == list(seen)
    assert re.split(", | and ", sees_not) == list(hidden)
    budget = {"project_id": str(tenant.project_id), "name": "May", "amount_cents": 9}
    tenant.client.data("POST", "/budgets", json=budget)
    with tenant.client_with("read", "write", "admin", role="member") as member:
        for path in seen.values():
            member.data("GET", path)
        for path in hidden.values():
            assert member.get(path).status_code == 403
        member.refusal("POST", "/budgets", "insufficient_role", json=budget)
    sitter = Sitter(tenant, role="member")
    assert "May" in read(sitter.get(sitter.home))
    assert sitter.get(f"{admin.home}/settings/budgets").status_code == 403


def test_settings_are_grouped_and_members_see_their_own(tenant: Tenant, admin: Sitter) -> None:
    def tabs_of(sitter: Sitter) -> str:
        page = read(sitter.get(f"{sitter.home}/settings"))
        return page[page.index(" Team ") :].partition(" Member Role ")[0]

    assert tabs_of(admin).startswith(
        " Team Members Organization Program Goals Conversions Money Budgets Payout methods"
        " Sharing Share links Reports Connections Agents API keys Webhooks"
    )
    member = tabs_of(Sitter(tenant, role="member"))
    assert member.startswith(
        " Team Members Program Goals Conversions Connections Agents Members of"
    )


def test_the_last_admin_stays(tenant: Tenant, admin: Sitter) -> None:
    settings = f"{admin.home}/settings"
    [first] = [role for role in roles(tenant) if role != str(admin.user_id)]
    assert admin.send(settings, page=settings, remove=first).status_code == 303
    answer = admin.send(settings, page=settings, member=str(admin.user_id))
    assert answer.status_code == 409
    assert "An organization needs an admin" in answer.text


def test_an_invitation_link_is_shown_once(tenant: Tenant, admin: Sitter) -> None:
    settings = f"{admin.home}/settings"
    made = admin.send(f"{settings}/invite", page=settings, email="new@example.com", role="admin")
    link = value_of(made.text, "link")
    assert admin.get(link.partition(tenant.api.settings.base_url)[2]).status_code == 200
    listed = read(admin.get(settings))
    assert "new@example.com until" in listed
    assert link not in listed
    again = admin.send(f"{settings}/invite", page=settings, email="new@example.com", role="admin")
    assert again.status_code == 409
    assert 'value="new@example.com"' in again.text
    invitations = f"/organizations/{tenant.organization_id}/invitations"
    [invited] = tenant.client.data("GET", invitations)
    admin.send(f"{settings}/invitations", page=settings, revoke=invited["id"])
    assert [invitation["status"] for invitation in tenant.client.data("GET", invitations)] == [
        "revoked"
    ]


def test_open_invitations_are_listed_page_by_page(
    tenant: Tenant, admin: Sitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Revoked ones do not count."""
    path, settings = (
        f"/organizations/{tenant.organization_id}/invitations",
        f"{admin.home}/settings",
    )
    made = [
        tenant.client.data("POST", path, json={"email": f"{name}@example.com"})["id"]
        for name in ("first", "second", "third", "fourth")
    ]
    tenant.client.data("DELETE", f"{path}/{made.pop()}")
    monkeypatch.setattr("serving_api.desk.settings.members.ON_A_PAGE", 2)
    page = admin.get(settings).text
    assert ("third@" in page, "second@" in page, "first@" in page) == (True, True, False)
    [older] = re.findall(r'href="([^"]+)">Older invitations', page)
    assert "first@example.com" in admin.get(unescape(older)).text


def test_a_key_is_shown_once_and_works_until_it_is_revoked(tenant: Tenant, admin: Sitter) -> None:
    keys = f"{admin.home}/settings/keys"
    sent = {"name": HOSTILE, "scopes.read": "yes", "expires_at": "2099-05-20"}
    made = admin.send(f"{keys}/new", page=keys, **sent)
    text = value_of(made.text, "key")
    with tenant.api.client(text) as client:
        assert client.data("GET", "/members")
        client.refusal("POST", "/tags", "insufficient_scope", json={})
        listed = admin.get(keys)
        assert text not in listed.text
        assert HOSTILE not in listed.text
        assert HOSTILE in read(listed)
        assert "expires 20 May 2099" in read(listed)
        key_id = tenant.client.data("GET", f"/organizations/{tenant.organization_id}/api-keys")[0]
        admin.send(keys, page=keys, revoke=key_id["id"])
        client.refusal("GET", "/members", "invalid_api_key")


@pytest.mark.parametrize(
    ("field", "sent", "message"),
    [
        ("name", {"name": ""}, "This field is required"),
        ("expires_at", {"expires_at": "tomorrow"}, "Enter a date as YYYY-MM-DD"),
        ("expires_at", {"expires_at": "2001-01-01"}, "Enter a future date"),
        ("scopes", {"scopes.read": None}, "Choose at least one scope"),
    ],
)
def test_errors_are_shown_beside_their_fields_which_keep_their_values(
    tenant: Tenant, admin: Sitter, field: str, sent: dict[str, str | None], message: str
) -> None:
    form = f"{admin.home}/settings/keys/new"
    right = {"name": HOSTILE, "scopes.read": "yes", "expires_at": ""}
    filled = {name: value for name, value in {**right, **sent}.items() if value is not None}
    answer = admin.send(form, page=form, **filled)
    assert answer.status_code == 400
    [beside] = re.findall(rf'id="wrong-{field}">([^<]+)<', answer.text)
    assert message in beside
    assert value_of(answer.text, "name") == filled["name"]
    assert HOSTILE not in answer.text
    assert len(tenant.client.data("GET", f"/organizations/{tenant.organization_id}/api-keys")) == 1


def test_members_see_the_other_members_and_change_nothing(tenant: Tenant) -> None:
    member = Sitter(tenant, role="member")
    page = member.get(f"{member.home}/settings")
    assert member.email in read(page)
    assert "API keys" not in read(page)
    assert "<button" not in page.text.partition("<main")[2]
