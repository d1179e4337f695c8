"""Passkeys: adding one needs the password, signing in works, and invalid ones are refused."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from sqlalchemy import update

from serving_api.desk.passkeys.checking import LASTS
from serving_api.oauth.sign_in import ALLOWED
from serving_api.page_forms import MAX_BYTES
from tests.factories.authenticator import PRESENT, Authenticator, cbor, in_text
from tests.fixtures.api import Tenant
from tests.fixtures.desk import SIGN_IN, Sitter
from tests.fixtures.programs import PASSWORD
from warehouse.operational.models import Passkey, PasskeyChallenge

PASSKEYS = "/desk/passkeys"
Said = dict[str, Any]


def device_of(sitter: Sitter) -> Authenticator:
    return Authenticator(sitter.tenant.api.settings.base_url)


def asked_to_make(sitter: Sitter, password: str = PASSWORD) -> Any:
    answer = sitter.send(f"{PASSKEYS}/challenge", page=PASSKEYS, password=password)
    assert answer.status_code == 200, answer.text
    return answer.json()


def add(sitter: Sitter, credential: Any, name: str = "Laptop") -> httpx.Response:
    return sitter.send(PASSKEYS, page=PASSKEYS, name=name, credential=json.dumps(credential))


def with_passkey(sitter: Sitter) -> Authenticator:
    device = device_of(sitter)
    assert add(sitter, device.make(asked_to_make(sitter))).status_code == 303
    return device


def asked_to_use(sitter: Sitter) -> Any:
    answer = sitter.send(f"{SIGN_IN}/passkey/challenge", page=SIGN_IN)
    assert answer.status_code == 200
    return answer.json()


def come_in(sitter: Sitter, credential: str, to: str = "/desk") -> httpx.Response:
    return sitter.send(f"{SIGN_IN}/passkey", page=SIGN_IN, credential=credential, to=to)


def use(sitter: Sitter, device: Authenticator, **wrong: Any) -> httpx.Response:
    return come_in(sitter, json.dumps(device.use(asked_to_use(sitter), **wrong)))


def nobody_at(tenant: Tenant) -> Sitter:
    return Sitter(tenant, signed_in=False)


def is_in(sitter: Sitter) -> bool:
    return sitter.get(sitter.home).status_code == 200


def is_refused(answer: httpx.Response) -> bool:
    return answer.status_code == 400 and "This passkey was not accepted" in answer.text


def test_a_passkey_from_its_name_to_its_end(tenant: Tenant, other: Tenant) -> None:
    ada = Sitter(tenant)
    assert "No passkeys yet" in ada.get(PASSKEYS).text
    device = with_passkey(ada)
    page = ada.get(PASSKEYS).text
    assert "Laptop" in page
    assert "never" in page
    browser = nobody_at(tenant)
    answer = come_in(browser, json.dumps(device.use(asked_to_use(browser))), to=ada.home)
    assert (answer.status_code, answer.headers["Location"]) == (303, ada.home)
    assert is_in(browser)
    page = browser.get(PASSKEYS).text
    assert "never" not in page
    passkey_id = re.search(r'name="remove" value="([^"]+)"', page)
    stranger = Sitter(other)
    for sitter, expected in ((stranger, 404), (ada, 303), (ada, 404)):
        removed = sitter.send(f"{PASSKEYS}/remove", page=PASSKEYS, remove=passkey_id[1])
        assert removed.status_code == expected
    assert is_refused(use(nobody_at(tenant), device))
    done = ["sign_in", "add_passkey", "sign_in_by_passkey", "remove_passkey"]
    assert ada.audit_events() == [("page", action) for action in done]


def test_challenges_for_browsers(tenant: Tenant) -> None:
    ada = Sitter(tenant)
    device = with_passkey(ada)
    options = asked_to_make(ada)
    assert options["rp"]["id"] == httpx.URL(tenant.api.settings.base_url).host
    assert options["user"]["name"] == ada.email
    assert options["attestation"] == "none"
    assert options["authenticatorSelection"]["userVerification"] == "required"
    assert options["authenticatorSelection"]["residentKey"] == "required"
    assert [credential["id"] for credential in options["excludeCredentials"]] == [
        in_text(device.credential_id)
    ]
    options = asked_to_use(nobody_at(tenant))
    assert options["userVerification"] == "required"
    assert options["allowCredentials"] == []
    assert options["timeout"] == 300_000


def test_pages_with_passkeys_run_our_script_alone(tenant: Tenant) -> None:
    page = nobody_at(tenant).get(SIGN_IN)
    assert (
        "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'sha256-"
        in page.headers["Content-Security-Policy"]
    )
    script = re.search(r'<script src="([^"]+)"', page.text)
    loaded = nobody_at(tenant).get(script[1])
    assert loaded.headers["Content-Type"].startswith("text/javascript")
    assert "navigator.credentials.get" in loaded.text
    assert nobody_at(tenant).get("/desk/files/other.js").status_code == 404


def test_adding_one_requires_the_password(tenant: Tenant) -> None:
    ada = Sitter(tenant)
    challenge = f"{PASSKEYS}/challenge"
    for _ in range(10):
        refused = ada.send(challenge, page=PASSKEYS, password="wrong")
        assert (refused.status_code, refused.json()) == (
            400,
            {"problem": "Wrong password."},
        )
    assert "Try again in 15 minutes" in ada.send(challenge, page=PASSKEYS, password=PASSWORD).text
    assert add(ada, device_of(ada).make(asked_to_use_as_if_to_make(ada))).status_code == 400


def asked_to_use_as_if_to_make(sitter: Sitter) -> Any:
    """A signed-in user's challenge for signing in, disguised as one for adding a passkey."""
    options = sitter.send(f"{SIGN_IN}/passkey/challenge", page=PASSKEYS).json()
    return {**options, "rp": {"id": options["rpId"]}, "user": {"id": in_text(sitter.user_id.bytes)}}


@pytest.mark.parametrize("name", ["", " ", "x" * 101, "a\nb"])
def test_a_name_is_short_and_ordinary(tenant: Tenant, name: str) -> None:
    refused = add(Sitter(tenant), {}, name=name)
    assert refused.status_code == 400
    assert "Enter 1 to 100 printable characters" in refused.text


NOT_ON_THE_CURVE = cbor({1: 2, 3: -7, -1: 1, -2: bytes(32), -3: bytes([1]) * 32})
WRONG_WHEN_MADE: dict[str, dict[str, Any]] = {
    "another challenge": {"challenge": in_text(bytes(32))},
    "another origin": {"origin": "https://evil.example"},
    "another name": {"party": "evil.example"},
    "a use": {"kind": "webauthn.get"},
    "nobody verified": {"flags": PRESENT},
    "nobody there": {"flags": 0},
    "no key": {"key": b""},
    "no attestation": {"attestation": b""},
    "nested": {"attestation": b"\x81" * 4_000},
    "endless": {"attestation": b"\x9f" * 100},
    "announced": {"attestation": b"\xa3\x63fmt\x5b\x7f\xff\xff\xff\xff\xff\xff\xff"},
    "no map": {"attestation": cbor("fmt")},
    "strange": {"attestation": cbor({"fmt": "tpm", "attStmt": {}, "authData": b"short"})},
}


def test_an_invalid_passkey_is_not_stored(tenant: Tenant) -> None:
    ada = Sitter(tenant)
    for reason, wrong in WRONG_WHEN_MADE.items():
        answer = add(ada, device_of(ada).make(asked_to_make(ada), **wrong))
        assert answer.status_code == 400, reason
        assert "The passkey was not created in time" in answer.text
    options = asked_to_make(ada)
    assert add(ada, device_of(ada).make(options)).status_code == 303
    assert add(ada, device_of(ada).make(options)).status_code == 400  # the challenge is used
    credentials: tuple[Any, ...] = ([], None, 5, "x", {"id": 5}, {"response": []})
    for credential in credentials:
        asked_to_make(ada)
        assert add(ada, credential).status_code == 400
    assert ada.get(PASSKEYS).text.count('name="remove"') == 1


def test_a_known_credential_is_refused_for_other_users(tenant: Tenant) -> None:
    ada, eve = Sitter(tenant), Sitter(tenant, role="member")
    device = with_passkey(ada)
    answer = add(eve, device.make(asked_to_make(eve)))
    assert answer.status_code == 409
    assert "already registered" in answer.text
    assert "No passkeys yet" in eve.get(PASSKEYS).text


def test_there_are_at_most_twenty(tenant: Tenant) -> None:
    ada = Sitter(tenant)
    with tenant.api.store.write_session() as session:
        session.add_all(
            Passkey(
                user_id=ada.user_id,
                name="Old",
                credential_id=ada.user_id.bytes + bytes([number]),
                public_key=b"",
                sign_count=0,
                created_at=datetime(2026, 1, 1, tzinfo=UTC),
            )
            for number in range(20)
        )
    refused = add(ada, device_of(ada).make(asked_to_make(ada)))
    assert refused.status_code == 409
    assert "You have 20 passkeys" in refused.text


STRANGERS_KEY = ec.generate_private_key(ec.SECP256R1())
WRONG_WHEN_USED: dict[str, dict[str, Any]] = {
    "another challenge": {"challenge": in_text(bytes(32))},
    "another origin": {"origin": "https://evil.example"},
    "another name": {"party": "evil.example"},
    "a new one": {"kind": "webauthn.create"},
    "nobody verified": {"flags": PRESENT},
    "nobody there": {"flags": 0},
    "another's key": {"signed_by": STRANGERS_KEY},
    "another's handle": {"handle": bytes(16)},
    "no handle": {"handle": b""},
    "counted no further": {"count": 1},
    "counted back": {"count": 0},
}


def test_a_wrong_passkey_does_not_sign_in_and_locks_no_password(tenant: Tenant) -> None:
    ada, browser = Sitter(tenant), nobody_at(tenant)
    device = with_passkey(ada)
    assert use(nobody_at(tenant), device).status_code == 303
    for reason, wrong in WRONG_WHEN_USED.items():
        assert is_refused(use(browser, device, **wrong)), reason
    assert not is_in(browser)
    ada.send("/desk/sign-out", page=PASSKEYS)
    assert len(WRONG_WHEN_USED) >= ALLOWED
    assert ada.come_in().status_code == 303
    assert use(browser, device).status_code == 303
    assert is_in(browser)


def garbled(credential: Said, name: str, text: object) -> Said:
    return {**credential, "response": {**credential["response"], name: text}}


GARBLED: list[Callable[[Said], object]] = [
    lambda credential: [],
    lambda credential: None,
    lambda credential: "x",
    lambda credential: {},
    lambda credential: {**credential, "id": "x"},
    lambda credential: {**credential, "rawId": "%"},
    lambda credential: {**credential, "rawId": 5},
    lambda credential: {**credential, "type": "password"},
    lambda credential: {**credential, "response": 5},
    lambda credential: {**credential, "id": in_text(bytes(32)), "rawId": in_text(bytes(32))},
    lambda credential: garbled(credential, "clientDataJSON", in_text(b"\xff{")),
    lambda credential: garbled(credential, "clientDataJSON", in_text(b"[" * 5_000)),
    lambda credential: garbled(credential, "authenticatorData", ""),
    lambda credential: garbled(credential, "authenticatorData", in_text(bytes(36))),
    lambda credential: garbled(
        credential, "authenticatorData", in_text(bytes(32) + b"\xc5" + bytes(200))
    ),
    lambda credential: garbled(credential, "signature", in_text(b"0\x80")),
    lambda credential: garbled(credential, "signature", None),
    lambda credential: garbled(credential, "userHandle", None),
    lambda credential: garbled(credential, "userHandle", {}),
]


def test_garbage_does_not_sign_in(tenant: Tenant) -> None:
    ada, browser = Sitter(tenant), nobody_at(tenant)
    device = with_passkey(ada)
    for number, garble in enumerate(GARBLED):
        sent = json.dumps(garble(device.use(asked_to_use(browser))))
        assert is_refused(come_in(browser, sent)), number
    for text in ("", "{", "[" * 4_000, "🧦", '"\\ud800"'):
        asked_to_use(browser)
        assert is_refused(come_in(browser, text))
    asked_to_use(browser)
    assert come_in(browser, "x" * MAX_BYTES).status_code == 413


def test_a_key_that_no_curve_has_is_worth_nothing(tenant: Tenant) -> None:
    ada = Sitter(tenant)
    device = device_of(ada)
    add(ada, device.make(asked_to_make(ada), key=NOT_ON_THE_CURVE))
    assert is_refused(use(nobody_at(tenant), device))


def test_a_challenge_is_good_once_in_one_browser_for_five_minutes(tenant: Tenant) -> None:
    ada, browser, thief = Sitter(tenant), nobody_at(tenant), nobody_at(tenant)
    device = with_passkey(ada)
    asked_to_use(thief)
    sent = json.dumps(device.use(asked_to_use(browser)))
    assert is_refused(come_in(thief, sent))
    assert come_in(browser, sent).status_code == 303
    browser.send("/desk/sign-out", page=PASSKEYS)
    assert is_refused(come_in(browser, sent))
    late = nobody_at(tenant)
    options = asked_to_use(late)
    with tenant.api.store.write_session() as session:
        earlier = {"expires_at": PasskeyChallenge.expires_at - LASTS}
        session.execute(update(PasskeyChallenge).values(**earlier))
    assert is_refused(come_in(late, json.dumps(device.use(options))))


@pytest.mark.parametrize("end", [Sitter.be_banned, Sitter.get_another_password])
def test_what_ends_a_passkey(tenant: Tenant, end: Callable[[Sitter], None]) -> None:
    ada, browser = Sitter(tenant), nobody_at(tenant)
    device, begun = with_passkey(ada), asked_to_make(ada)
    assert use(browser, device).status_code == 303
    end(ada)
    assert not is_in(browser)
    assert is_refused(use(nobody_at(tenant), device))
    if end is Sitter.get_another_password:
        ada.come_in()
        assert "No passkeys yet" in ada.get(PASSKEYS).text
        assert add(ada, device.make(begun)).status_code == 400


def test_signing_out_everywhere_leaves_passkeys(tenant: Tenant) -> None:
    ada, browser = Sitter(tenant), nobody_at(tenant)
    device = with_passkey(ada)
    use(browser, device)
    ada.send("/desk/sign-out", page=PASSKEYS, everywhere="yes")
    assert (is_in(ada), is_in(browser)) == (False, False)
    assert use(browser, device).status_code == 303
    assert is_in(browser)
