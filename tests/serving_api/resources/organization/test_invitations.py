"""Invitations over HTTP, and the page that accepts them, in a browser."""

import base64
import hashlib
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid4

import httpx
import pytest
from argon2 import PasswordHasher
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from serving_api.passwords import hash_password
from tests.doses import dose
from tests.fixtures.api import Api, Tenant
from warehouse.operational.models import Invitation, Member, Organization, User

PASSWORD = "correct horse battery"
PASSWORD_HASH = hash_password(PASSWORD)


@pytest.fixture
def browser(api: Api) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=api.base_url, trust_env=False, timeout=30) as client:
        yield client


def url(tenant: Tenant, *ids: str) -> str:
    return "/".join([f"/organizations/{tenant.organization_id}/invitations", *ids])


def invite(tenant: Tenant, email: str | None = None, role: str = "member") -> Any:
    body = {"email": email or f"{uuid4().hex}@test.invalid", "role": role}
    return tenant.client.data("POST", url(tenant), json=body)


def expire(tenant: Tenant, invitation: Any) -> None:
    with tenant.api.store.write_session() as session:
        row = session.get_one(Invitation, UUID(invitation["id"]))
        row.expires_at = datetime.now(UTC) - timedelta(seconds=1)


def statuses(tenant: Tenant) -> dict[str, str]:
    return {
        invitation["email"]: invitation["status"]
        for invitation in tenant.client.data("GET", url(tenant))
    }


def accept(browser: httpx.Client, invitation: Any, **fields: str) -> httpx.Response:
    form = {"display_name": "Ada Lovelace", "password": PASSWORD, **fields}
    return browser.post(f"/invitations/{invitation['token']}", data=form)


def assert_signed_in(answer: httpx.Response) -> None:
    """Assert a redirect to the desk, with a session."""
    assert (answer.status_code, answer.headers["Location"]) == (303, "/desk")
    desk = httpx.Client(base_url=answer.request.url.copy_with(path="/"), trust_env=False)
    with desk:
        desk.cookies.update(answer.cookies)
        page = desk.get("/desk", follow_redirects=True)
    assert page.status_code == 200
    assert "/desk/sign-in" not in page.url.path
    assert "Acme" in page.text


def test_it_lasts_seven_real_days_and_shows_its_token_once(tenant: Tenant) -> None:
    made = invite(tenant, "ada@test.invalid", role="admin")
    assert (made["email"], made["role"], made["status"]) == ("ada@test.invalid", "admin", "pending")
    left = datetime.fromisoformat(made["expires_at"]) - datetime.now(UTC)
    assert timedelta(days=7) - timedelta(minutes=1) < left <= timedelta(days=7)
    (listed,) = tenant.client.data("GET", url(tenant))
    assert listed == {name: value for name, value in made.items() if name != "token"}


def test_only_a_hash_of_the_token_is_stored(tenant: Tenant) -> None:
    made = invite(tenant)
    with tenant.api.store.read_session() as session:
        row = session.get_one(Invitation, UUID(made["id"]))
        assert row.token_hash == hashlib.sha256(made["token"].encode()).digest()


def test_a_second_invitation_and_one_of_a_member_are_refused(tenant: Tenant) -> None:
    invite(tenant, "Ada@test.invalid")
    again = {"email": "ada@TEST.invalid"}
    meta = tenant.client.refusal("POST", url(tenant), "conflict", json=again)
    assert meta["reason"] == "already_invited"
    (member,) = tenant.client.data("GET", "/members")
    body = {"email": member["email"].upper()}
    meta = tenant.client.refusal("POST", url(tenant), "conflict", json=body)
    assert meta["reason"] == "already_member"


def test_another_invitation_may_follow_an_ended_one(tenant: Tenant) -> None:
    expire(tenant, invite(tenant, "ada@test.invalid"))
    assert statuses(tenant) == {"ada@test.invalid": "expired"}
    second = invite(tenant, "ada@test.invalid")
    for _ in range(2):
        assert tenant.client.data("DELETE", url(tenant, second["id"])) == {"deleted": True}
    assert statuses(tenant)["ada@test.invalid"] in {"expired", "revoked"}
    invite(tenant, "ada@test.invalid")


def test_someone_new_becomes_a_member(tenant: Tenant, browser: httpx.Client) -> None:
    invitation = invite(tenant, role="admin")
    page = browser.get(f"/invitations/{invitation['token']}")
    assert page.status_code == 200
    assert "Join Acme" in page.text
    assert invitation["email"] in page.text
    assert page.text.index("I am new here") < page.text.index("I have an account"), "most are"
    assert_signed_in(accept(browser, invitation))
    assert statuses(tenant)[invitation["email"]] == "accepted"
    with tenant.api.store.read_session() as session:
        user = session.scalars(select(User).where(User.email == invitation["email"])).one()
        assert user.display_name == "Ada Lovelace"
        assert user.password_hash.startswith("$argon2id$")
        assert PasswordHasher().verify(user.password_hash, PASSWORD)
        assert session.get_one(Member, (tenant.organization_id, user.id)).role == "admin"
    meta = tenant.client.refusal("DELETE", url(tenant, invitation["id"]), "conflict")
    assert meta["reason"] == "already_accepted"


def sign_in(browser: httpx.Client, invitation: Any, password: str = PASSWORD) -> httpx.Response:
    form = {"way": "sign-in", "password": password}
    return browser.post(f"/invitations/{invitation['token']}", data=form)


def with_account(tenant: Tenant, email: str, **columns: Any) -> UUID:
    """Add a user with this address and a password."""
    columns = {"display_name": "Early", "password_hash": PASSWORD_HASH, **columns}
    with tenant.api.store.write_session() as session:
        user = User(email=email, **columns)
        session.add(user)
    return user.id


def test_a_known_user_joins_by_signing_in(tenant: Tenant, browser: httpx.Client) -> None:
    """The token's holder can set neither the name nor the password."""
    invitation = invite(tenant)
    user_id = with_account(tenant, invitation["email"].upper())

    def member() -> Member | None:
        with tenant.api.store.read_session() as session:
            user = session.get_one(User, user_id)
            assert (user.display_name, user.password_hash) == ("Early", PASSWORD_HASH)
            return session.get(Member, (tenant.organization_id, user_id))

    response = accept(browser, invitation, password="another password of the attacker's")
    assert (response.status_code, member()) == (400, None)
    assert "has an account" in response.text
    assert 'autocomplete="current-password" autofocus>' in response.text
    for wrong in ("", "not the password"):
        assert (sign_in(browser, invitation, wrong).status_code, member()) == (400, None)
    assert statuses(tenant)[invitation["email"]] == "pending"
    assert_signed_in(sign_in(browser, invitation))
    joined = member()
    assert joined.role == "member"
    assert sign_in(browser, invitation).status_code == 404


def test_unknown_addresses_cannot_sign_in(tenant: Tenant, browser: httpx.Client) -> None:
    invitation = invite(tenant)
    assert "Wrong password." in sign_in(browser, invitation).text
    assert accept(browser, invitation).status_code == 303


def test_wrong_passwords_lock_the_address(tenant: Tenant, browser: httpx.Client) -> None:
    invitation = invite(tenant)
    with_account(tenant, invitation["email"])
    texts = [sign_in(browser, invitation, "not the password").text for _ in range(10)]
    assert "Wrong password." in texts[-1]
    assert "Too many wrong passwords" in sign_in(browser, invitation).text
    assert statuses(tenant)[invitation["email"]] == "pending"


def test_a_member_keeps_its_role(tenant: Tenant, browser: httpx.Client) -> None:
    invitation = invite(tenant)
    user_id = with_account(tenant, invitation["email"])
    tenant.join(user_id, "admin")
    assert sign_in(browser, invitation).status_code == 303
    with tenant.api.store.read_session() as session:
        assert session.get_one(Member, (tenant.organization_id, user_id)).role == "admin"


def test_an_open_invitation_of_a_removed_member_is_revoked(
    tenant: Tenant, browser: httpx.Client
) -> None:
    """The user joined in another way meanwhile, so the token was never used."""
    invitation, others = invite(tenant, role="admin"), invite(tenant)
    user_id = with_account(tenant, invitation["email"].upper())
    tenant.join(user_id)
    member = f"/organizations/{tenant.organization_id}/members/{user_id}"
    tenant.client.data("DELETE", member)
    assert statuses(tenant) == {invitation["email"]: "revoked", others["email"]: "pending"}
    assert sign_in(browser, invitation).status_code == 404


@pytest.mark.parametrize("end", ["used", "expired", "revoked", "unknown"])
def test_ended_tokens_reveal_nothing(tenant: Tenant, browser: httpx.Client, end: str) -> None:
    invitation = invite(tenant)
    if end == "used":
        accept(browser, invitation)
    elif end == "expired":
        expire(tenant, invitation)
    elif end == "revoked":
        tenant.client.data("DELETE", url(tenant, invitation["id"]))
    else:
        invitation["token"] += "x"
    for response in (
        browser.get(f"/invitations/{invitation['token']}"),
        accept(browser, invitation),
    ):
        assert response.status_code == 404
        assert response.headers["Content-Type"] == "text/html; charset=utf-8"
        assert "Ask for a new one." in response.text
        assert "Acme" not in response.text


def test_a_refused_acceptance_hashes_no_password(
    tenant: Tenant, browser: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hash takes 64 MiB and nearly a tenth of a second."""
    used, expired, unknown, taken = (invite(tenant) for _ in range(4))
    accept(browser, used)
    expire(tenant, expired)
    unknown["token"] += "x"
    with_account(tenant, taken["email"])
    hashed: list[str] = []
    hash_it = PasswordHasher.hash

    def counted(hasher: PasswordHasher, password: str) -> str:
        hashed.append(password)
        return hash_it(hasher, password)

    monkeypatch.setattr(PasswordHasher, "hash", counted)
    refused = [accept(browser, each).status_code for each in (used, expired, unknown, taken)]
    good = invite(tenant)
    refused += [
        accept(browser, good, **fields).status_code
        for fields in ({"password": "short"}, {"password": "x" * 1001}, {"display_name": ""})
    ]
    foreign = {"Origin": "https://elsewhere.invalid"}
    path = f"/invitations/{good['token']}"
    form = {"display_name": "Ada", "password": PASSWORD}
    refused.append(browser.post(path, data=form, headers=foreign).status_code)
    assert (refused, hashed) == ([404, 404, 404, 400, 400, 400, 400, 403], [])
    assert accept(browser, good).status_code == 303
    assert hashed == [PASSWORD]


def test_one_token_makes_one_member(tenant: Tenant, browser: httpx.Client) -> None:
    invitation = invite(tenant)
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: accept(browser, invitation).status_code, range(6)))
    assert sorted(answers) == [303, 404, 404, 404, 404, 404]
    assert len(tenant.client.data("GET", "/members")) == 2


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"password": "short"}, "Enter 10 to 1,000 characters"),
        ({"password": "x" * 1001}, "Enter 10 to 1,000 characters"),
        ({"display_name": "   "}, "Use 1 to 100 ordinary characters"),
        ({"display_name": "x" * 101}, "Use 1 to 100 ordinary characters"),
        ({"display_name": "a\nb"}, "Use 1 to 100 ordinary characters"),
        ({"display_name": "a\x00b"}, "Use 1 to 100 ordinary characters"),
        ({"display_name": "\u202eadmin"}, "Use 1 to 100 ordinary characters"),
    ],
)
def test_a_bad_form_is_shown_again_with_its_errors(
    tenant: Tenant, browser: httpx.Client, fields: dict[str, str], message: str
) -> None:
    invitation = invite(tenant)
    response = accept(browser, invitation, **fields)
    assert response.status_code == 400
    assert message in response.text
    assert statuses(tenant)[invitation["email"]] == "pending"


def test_typed_text_is_never_markup(tenant: Tenant, browser: httpx.Client) -> None:
    hostile = '"><script>alert(1)</script>{{7*7}}'
    path = f"/organizations/{tenant.organization_id}"
    tenant.client.data("PATCH", path, json={"name": hostile})
    invitation = invite(tenant)
    html = browser.get(f"/invitations/{invitation['token']}").text
    html += accept(browser, invitation, display_name=hostile, password="short").text
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "{{7*7}}" in html
    assert PASSWORD not in html


def test_the_page_has_no_script_or_frame(tenant: Tenant, browser: httpx.Client) -> None:
    response = browser.get(f"/invitations/{invite(tenant)['token']}")
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "form-action 'self'" in policy
    match = re.search(r"<style>(.*?)</style>", response.text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(match[1].encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in policy
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Referrer-Policy"] == "same-origin"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://elsewhere.invalid"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Origin": ""},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_form_on_another_site_is_refused(
    tenant: Tenant, browser: httpx.Client, headers: dict[str, str]
) -> None:
    path = f"/invitations/{invite(tenant)['token']}"
    form = {"display_name": "Ada", "password": PASSWORD}
    assert browser.post(path, data=form, headers=headers).status_code == 403
    own = {"Origin": str(browser.base_url).rstrip("/"), "Sec-Fetch-Site": "same-origin"}
    assert browser.post(path, data=form, headers=own).status_code == 303


def test_a_banned_user_joins_nothing(tenant: Tenant, browser: httpx.Client) -> None:
    invitation = invite(tenant)
    with_account(tenant, invitation["email"], is_banned=True)
    assert sign_in(browser, invitation).status_code == 400
    assert accept(browser, invitation).status_code == 400
    assert statuses(tenant)[invitation["email"]] == "pending"


def test_suspended_organizations_are_closed(tenant: Tenant, browser: httpx.Client) -> None:
    invitation = invite(tenant)
    with tenant.api.store.write_session() as session:
        session.get_one(Organization, tenant.organization_id).is_suspended = True
    assert accept(browser, invitation).status_code == 404


form = settings(
    max_examples=dose(8, 25),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@form
@given(
    token=st.text(st.characters(codec="utf-8"), min_size=1, max_size=60),
    body=st.binary(max_size=200) | st.just(b"a=1&" * 40) | st.just(b"x" * 20_000),
    media=st.sampled_from(["application/x-www-form-urlencoded", "multipart/form-data", "text/x"]),
)
def test_nonsense_is_refused(browser: httpx.Client, token: str, body: bytes, media: str) -> None:
    path = f"/invitations/{quote(token, safe='')}"
    response = browser.post(path, content=body, headers={"Content-Type": media})
    assert 400 <= response.status_code < 500


@form
@given(
    name=st.text(st.characters(codec="utf-8"), max_size=120),
    password=st.text(st.characters(codec="utf-8"), max_size=30),
)
def test_whatever_is_typed_makes_a_member_or_shows_the_form(
    tenant: Tenant, browser: httpx.Client, name: str, password: str
) -> None:
    response = accept(browser, invite(tenant), display_name=name, password=password)
    assert response.status_code in {303, 400}


def test_tries_of_an_address_are_limited(api: Api, tmp_path: Path) -> None:
    with (
        api.changed(api_rate_limits=True, home=tmp_path) as served,
        httpx.Client(base_url=served.base_url, trust_env=False) as client,
    ):
        answers = [client.get("/invitations/guess") for _ in range(61)]
    assert [answer.status_code for answer in answers] == [404] * 60 + [429]
    assert 0 < int(answers[-1].headers["Retry-After"]) <= 60
    assert answers[-1].headers["Content-Type"] == "text/html; charset=utf-8"
