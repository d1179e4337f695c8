"""What people are shown, and what another site cannot do with it."""

import pytest

from tests.fixtures.api import Api, Tenant
from tests.fixtures.programs import PASSWORD, Browser, Program


def test_no_page_is_framed_kept_or_runs_a_script(program: Program, member: Browser) -> None:
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
def test_another_site_cannot_consent(
    program: Program, member: Browser, headers: dict[str, str]
) -> None:
    action, form = member.form(member.consent_page(program.asking()).text)
    sent = {**form, "decision": "allow", "organization_id": str(member.tenant.organization_id)}
    assert member.post(action, data=sent, headers=headers).status_code == 403


def test_nobody_consents_without_the_form(program: Program, member: Browser) -> None:
    action, _ = member.form(member.consent_page(program.asking()).text)
    sent = {"decision": "allow", "organization_id": str(member.tenant.organization_id)}
    for form in ({}, {"form": ""}, {"form": "x" * 27}, {"form": "\u00e9"}):
        assert member.post(action, data={**sent, **form}).status_code == 403


def test_a_form_of_another_visit_is_worth_nothing(
    program: Program, member: Browser, tenant: Tenant
) -> None:
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


def test_signing_in_begins_a_new_visit(program: Program, member: Browser) -> None:
    member.get(program.asking())
    before = member.cookies["oauth"]
    member.sign_in(program.asking())
    assert member.cookies["oauth"] != before


def test_nobody_is_signed_in_by_another_site(program: Program, member: Browser) -> None:
    action, form = member.form(member.get(program.asking()).text)
    sent = {**form, "email": member.email, "password": PASSWORD}
    member.cookies.clear()
    assert member.post(action, data=sent).status_code == 403
