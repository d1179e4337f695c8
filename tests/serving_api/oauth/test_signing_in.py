"""Signing in: the cost of a wrong password, what it does not reveal, and the rate limit."""

import re
from datetime import UTC, datetime, timedelta
from unittest.mock import patch

import httpx
import pytest
from argon2 import Parameters, PasswordHasher, extract_parameters
from sqlalchemy import update

from serving_api import passwords
from serving_api.kit.shares import Shares
from serving_api.oauth.sign_in import sign_in
from serving_api.passwords import hash_password
from tests.fixtures.api import Api, Tenant, new_tenant
from tests.fixtures.programs import REDIRECT, Browser, Program
from warehouse.operational.models import SignInFailure, User


def test_an_unknown_address_looks_like_a_wrong_password(program: Program, member: Browser) -> None:
    wrong = member.sign_in(program.asking(), "wrong password")
    known, member.email = member.email, f"nobody-{member.user_id}@test.invalid"
    unknown = member.sign_in(program.asking(), "wrong password")
    assert wrong.status_code == unknown.status_code == 400
    assert _plain(wrong, known) == _plain(unknown, member.email)


@pytest.fixture
def verifications(monkeypatch: pytest.MonkeyPatch) -> list[Parameters]:
    """The hash parameters of each password verification of the server from now on."""
    made: list[Parameters] = []
    verify = PasswordHasher.verify

    def noted(hasher: PasswordHasher, stored: str, password: str) -> bool:
        made.append(extract_parameters(stored))
        return verify(hasher, stored, password)

    monkeypatch.setattr(PasswordHasher, "verify", noted)
    return made


@pytest.mark.parametrize("who", ["known", "unknown", "banned", "without a password", "nonsense"])
def test_a_wrong_password_takes_equally_long_for_all_users(
    program: Program, member: Browser, verifications: list[Parameters], who: str
) -> None:
    with program.api.store.write_session() as session:
        user = session.get_one(User, member.user_id)
        user.is_banned = who == "banned"
        user.password_hash = None if who == "without a password" else user.password_hash
    others = {"unknown": f"nobody-{member.user_id}@test.invalid", "nonsense": "\x00" * 400}
    member.email = others.get(who, member.email)
    assert member.sign_in(program.asking(), "wrong").status_code == 400
    assert verifications == [extract_parameters(hash_password("any"))]


def test_ten_wrong_ones_lock_known_and_unknown_alike(program: Program, member: Browser) -> None:
    known = member.email
    locked = []
    for email in (known, f"nobody-{member.user_id}@test.invalid"):
        member.email = email
        for _ in range(10):
            assert (
                "Wrong e-mail address or password" in member.sign_in(program.asking(), "wrong").text
            )
        locked.append(member.sign_in(program.asking()))
    assert "Try again in 15 minutes" in locked[0].text
    assert _plain(locked[0], known) == _plain(locked[1], member.email)


def test_a_stranger_locks_only_its_own_network(program: Program, member: Browser) -> None:
    for _ in range(11):
        member.sign_in(program.asking(), "wrong")
    stranger, member.comes_from = member.comes_from, "127.0.0.2"
    assert member.sign_in(program.asking()).status_code == 303
    member.comes_from = stranger
    member.cookies.clear()
    assert "Try again in 15 minutes" in member.sign_in(program.asking()).text


def test_many_networks_lock_an_address_everywhere(program: Program, member: Browser) -> None:
    now = datetime.now(UTC)

    def try_from(network: int) -> object:
        return sign_in(program.api.store, member.email, "", f"network {network}", now)

    with patch("serving_api.oauth.sign_in.ALLOWED_ANYWHERE", 12):
        assert [try_from(network // 10) for network in range(12)] == ["wrong"] * 12
        assert try_from(100) == "locked"
    assert "Try again in 15 minutes" in member.sign_in(program.asking()).text


def test_a_try_that_meets_a_full_queue_is_not_counted(
    monkeypatch: pytest.MonkeyPatch, program: Program, member: Browser
) -> None:
    monkeypatch.setattr(passwords, "HASHES", Shares("passwordsAtOnce", 2, 2, queue=0))
    with passwords.hashing(), passwords.hashing():
        for _ in range(10):
            assert member.sign_in(program.asking(), "wrong").status_code == 503
    assert member.sign_in(program.asking()).is_redirect


def test_a_lock_ends(program: Program, member: Browser) -> None:
    for _ in range(10):
        member.sign_in(program.asking(), "wrong")
    assert member.sign_in(program.asking()).status_code == 400
    with program.api.store.write_session() as session:
        earlier = SignInFailure.locked_until - timedelta(minutes=15)
        session.execute(update(SignInFailure).values(locked_until=earlier))
    assert member.sign_in(program.asking()).status_code == 303


def test_the_right_one_resets_the_count(program: Program, member: Browser) -> None:
    for _ in range(2):
        for _ in range(9):
            member.sign_in(program.asking(), "wrong")
        assert member.sign_in(program.asking()).status_code == 303
        member.cookies.clear()


@pytest.mark.parametrize("email", ["", "\x00", "a" * 5000, "'; drop table users; --", "\u202e@x"])
def test_nonsense_does_not_sign_in(program: Program, member: Browser, email: str) -> None:
    member.email = email
    assert member.sign_in(program.asking()).status_code == 400


def test_a_user_without_a_password_cannot_sign_in(program: Program, member: Browser) -> None:
    member.email = _email_of(member.tenant)
    assert member.sign_in(program.asking(), "").status_code == 400


def _plain(page: httpx.Response, email: str) -> str:
    """The page without values that differ by sign-in session and without the e-mail address."""
    return re.sub(r'name="form" value="[^"]+"', "", page.text).replace(email, "")


def _email_of(tenant: Tenant) -> str:
    with tenant.client_with() as client:
        listed = client.data("GET", "/members")
    return str(listed[0]["email"])


def test_an_address_registers_ten_programs_a_minute(limited: Api) -> None:
    url, body = f"{limited.base_url}/oauth/register", {"redirect_uris": [REDIRECT]}
    answers = [httpx.post(url, json=body, trust_env=False, verify=False) for _ in range(11)]
    assert [each.status_code for each in answers] == [201] * 10 + [429]
    assert answers[-1].headers["Retry-After"]


def test_an_address_signs_in_ten_times_a_minute(api: Api, limited: Api) -> None:
    program = Program.registered(api)
    with new_tenant(limited) as tenant:
        member = Browser(tenant)
        action, form = member.form(member.get(program.asking()).text)
        sent = {**form, "email": "", "password": "wrong"}
        statuses = [member.post(action, data=sent).status_code for _ in range(11)]
    assert statuses == [400] * 10 + [429]
