"""What consent pages show, and how they resist other sites."""

import html
import re

import pytest
from sqlalchemy import select

from serving_api.oauth.metadata import MEANINGS
from tests.fixtures.api import Api, Tenant
from tests.fixtures.programs import PASSWORD, Browser, Program, answer_of, error_of
from warehouse.operational.models import Member, OauthGrant

PRESET = r'name="organization_id"[^>]+ checked>'


def test_no_page_is_framed_or_cached_or_runs_a_script(program: Program, member: Browser) -> None:
    for page in (member.get(program.asking()), member.consent_page(program.asking())):
        policy = page.headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in policy
        assert "default-src 'none'" in policy
        assert "script-src" not in policy
        assert page.headers["X-Frame-Options"] == "DENY"
        assert page.headers["Cache-Control"] == "no-store"
        assert page.headers["Referrer-Policy"] == "same-origin"


def test_the_cookie_is_for_these_pages_alone(program: Program, member: Browser) -> None:
    cookie = member.get(program.asking()).headers["Set-Cookie"]
    assert {"HttpOnly", "Path=/oauth", "SameSite=lax"} <= set(cookie.split("; "))


def test_a_program_writes_nothing_into_the_page(api: Api, member: Browser) -> None:
    program = Program.registered(api, client_name="<script>alert(1)</script>")
    page = member.consent_page(program.asking(state='"><script>')).text
    assert "<script" not in page


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://attacker.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "null"},
    ],
)
def test_other_sites_cannot(program: Program, member: Browser, headers: dict[str, str]) -> None:
    action, form = member.form(member.consent_page(program.asking()).text)
    sent = {**form, "decision": "allow", "organization_id": str(member.tenant.organization_id)}
    assert member.post(action, data=sent, headers=headers).status_code == 403


def test_consent_requires_the_form(program: Program, member: Browser) -> None:
    action, _ = member.form(member.consent_page(program.asking()).text)
    sent = {"decision": "allow", "organization_id": str(member.tenant.organization_id)}
    for form in ({}, {"form": ""}, {"form": "x" * 27}, {"form": "\u00e9"}):
        assert member.post(action, data={**sent, **form}).status_code == 403


def test_forms_belong_to_a_session(program: Program, member: Browser, tenant: Tenant) -> None:
    attacker = Browser(tenant)
    _, form = attacker.form(attacker.consent_page(program.asking()).text)
    action, _ = member.form(member.consent_page(program.asking()).text)
    sent = {**form, "decision": "allow", "organization_id": str(tenant.organization_id)}
    assert member.post(action, data=sent).status_code == 403


def test_a_form_is_for_the_request_that_was_shown(program: Program, member: Browser) -> None:
    action, form = member.form(member.consent_page(program.asking(scope="read")).text)
    sent = {**form, "decision": "allow", "organization_id": str(member.tenant.organization_id)}
    wider = action.replace("scope=read", "scope=read+write+admin")
    assert wider != action
    assert member.post(wider, data=sent).status_code == 403


def test_people_grant_fewer_permissions_than_an_app_requests(
    program: Program, member: Browser
) -> None:
    action, form = member.form(member.consent_page(program.asking(scope="read write admin")).text)
    assert {"scope.read", "scope.write", "scope.admin"} <= form.keys()
    sent = {**form, "decision": "allow", "organization_id": str(member.tenant.organization_id)}
    less = {name: value for name, value in sent.items() if name != "scope.write"}
    tokens = program.exchange(answer_of(member.post(action, data=less))["code"]).json()
    assert tokens["scope"] == "read admin"
    wider = program.refresh(tokens["refresh_token"], scope="read write")
    assert error_of(wider) == "invalid_scope"


@pytest.mark.parametrize(
    ("requested", "ticked"),
    [("read write admin", ["read"]), ("write", ["write"]), ("admin", []), ("", ["read"])],
)
def test_only_the_least_permission_is_ticked_and_never_admin(
    program: Program, member: Browser, requested: str, ticked: list[str]
) -> None:
    page = member.consent_page(program.asking(scope=requested)).text
    assert re.findall(r'name="scope\.(\w+)" value="yes" checked', page) == ticked


def test_people_cannot_grant_nothing_or_more_than_an_app_requests(
    program: Program, member: Browser
) -> None:
    action, form = member.form(member.consent_page(program.asking(scope="read")).text)
    sent = {**form, "decision": "allow", "organization_id": str(member.tenant.organization_id)}
    more = member.post(action, data={**sent, "scope.admin": "yes"})
    assert program.exchange(answer_of(more)["code"]).json()["scope"] == "read"
    del sent["scope.read"]
    assert member.post(action, data=sent).status_code == 400


@pytest.mark.parametrize(
    ("method", "path", "words"),
    [
        ("get", "/payout-accruals", "Read"),
        ("post", "/projects/{project_id}/creators", "Add"),
        (
            "patch",
            "/payout-structures/{structure_id}",
            "if you are an admin, also change pay rules",
        ),
        ("patch", "/payout-accruals/{accrual_id}", "if you are an admin, also"),
        ("patch", "/payout-accruals/{accrual_id}", "approve amounts"),
        ("post", "/payout-payments", "record payments"),
        ("patch", "/organizations/{organization_id}/members/{user_id}", "members"),
        ("post", "/organizations/{organization_id}/api-keys", "API keys"),
        ("post", "/webhook-endpoints", "webhooks"),
        ("post", "/organizations/{organization_id}/projects", "projects"),
        ("patch", "/organizations/{organization_id}", "the organization"),
    ],
)
def test_the_description_of_a_scope_matches_the_endpoints(
    api: Api, method: str, path: str, words: str
) -> None:
    [security] = api.document["paths"][f"/api/v2{path}"][method]["security"]
    scope, *roles = next(iter(security.values()))
    assert words in MEANINGS[scope]
    if scope == "write":
        assert ("org_admin" in roles) == (words != "Add")


def test_signing_in_starts_a_new_session(program: Program, member: Browser) -> None:
    member.get(program.asking())
    before = member.cookies["oauth"]
    member.sign_in(program.asking())
    assert member.cookies["oauth"] != before


def test_another_site_cannot_sign_a_user_in(program: Program, member: Browser) -> None:
    action, form = member.form(member.get(program.asking()).text)
    sent = {**form, "email": member.email, "password": PASSWORD}
    member.cookies.clear()
    assert member.post(action, data=sent).status_code == 403


def test_one_organization_is_preset(program: Program, member: Browser, other: Tenant) -> None:
    """An inattentive member must not authorize a program for the first organization by name."""
    asking = program.asking()
    assert len(re.findall(PRESET, member.consent_page(asking).text)) == 1
    other.join(member.user_id)
    page = member.get(asking).text
    assert page.count('name="organization_id"') == 2
    assert not re.findall(PRESET, page)
    action, form = member.form(page)
    assert member.post(action, data={**form, "decision": "allow"}).status_code == 400
    with program.api.store.read_session() as session:
        own = select(OauthGrant).where(OauthGrant.user_id == member.user_id)
        assert session.scalars(own).all() == []


class TestNothingToAllow:
    """Members who can grant none of the requested scopes see why, and consent to nothing."""

    @pytest.fixture
    def plain(self, tenant: Tenant) -> Browser:
        return Browser(tenant, role="member")

    def test_the_page_explains_the_error(self, program: Program, plain: Browser) -> None:
        page = plain.consent_page(program.asking(scope="admin")).text
        assert "you are not an admin of Acme" in page
        assert "Ask an admin" in page
        assert 'value="allow"' not in page
        answer = answer_of(plain.decide(program.asking(scope="admin"), "deny"))
        assert (answer["error"], answer["state"]) == ("access_denied", "s-1")

    def test_a_forged_form_is_refused(self, program: Program, plain: Browser) -> None:
        answer = answer_of(plain.decide(program.asking(scope="admin")))
        assert answer["error"] == "access_denied"
        assert "role" in answer["error_description"]
        own = select(OauthGrant).where(OauthGrant.user_id == plain.user_id)
        with program.api.store.read_session() as session:
            assert session.scalars(own).all() == []

    def test_admins_allow_their_own(self, program: Program, plain: Browser, other: Tenant) -> None:
        with program.api.store.write_session() as session:
            session.add(
                Member(
                    organization_id=other.organization_id,
                    user_id=plain.user_id,
                    role="admin",
                    joined_at=program.api.store.clock(),
                )
            )
        asking = program.asking(scope="admin")
        page = plain.consent_page(asking).text
        assert f'value="{other.organization_id}"' in page
        assert f'value="{plain.tenant.organization_id}"' not in page
        assert "Acme is not available" in page
        assert answer_of(plain.decide(asking))["error"] == "access_denied"
        decided = plain.decide(asking, organization_id=str(other.organization_id))
        assert program.exchange(answer_of(decided)["code"]).json()["scope"] == "admin"

    def test_lost_roles_do_not_allow(self, program: Program, member: Browser) -> None:
        action, form = member.form(member.consent_page(program.asking(scope="admin")).text)
        path = f"/organizations/{member.tenant.organization_id}/members/{member.user_id}"
        member.tenant.client.data("PATCH", path, json={"role": "member"})
        sent = {**form, "decision": "allow", "organization_id": str(member.tenant.organization_id)}
        assert answer_of(member.post(action, data=sent))["error"] == "access_denied"


class TestFaultyRequests:
    """Our links redirect to no one else's page: anyone may have registered its address."""

    @pytest.mark.parametrize("changes", [{"scope": "root"}, {"response_type": "token"}])
    def test_people_may_decline(self, api: Api, member: Browser, changes: dict[str, str]) -> None:
        program = Program.registered(api, redirect_uris=["https://app.example/callback?a=1"])
        program.redirect_uri = "https://app.example/callback?a=1"
        page = member.get(program.asking(**changes))
        assert page.status_code == 400
        assert "Location" not in page.headers
        assert "https://app.example</strong>" in page.text
        [address] = re.findall(r'href="([^"]+)"', page.text)
        start, _, answer = html.unescape(address).partition("&")
        assert start == program.redirect_uri
        assert "error=" in answer
        assert "state=s-1" in answer
        assert "iss=" in answer
        assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]

    def test_without_a_fault_one_signs_in_first(self, api: Api, member: Browser) -> None:
        program = Program.registered(api, redirect_uris=["https://app.example/callback"])
        program.redirect_uri = "https://app.example/callback"
        assert "Password" in member.get(program.asking()).text
        decided = member.decide(program.asking(), "deny")
        assert decided.headers["Location"].startswith("https://app.example/callback?error=")
