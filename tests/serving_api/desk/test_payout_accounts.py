"""Payout details of creators at the desk: for admins only."""

import re
from html import escape, unescape
from typing import Any

import pytest

from serving_api.desk.payouts.iban import iban_mistake, is_named_iban
from tests.factories.visitors import read
from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter, beside

HOSTILE = '"><img src=x onerror=alert(1)> \u202e'


@pytest.fixture
def creator(tenant: Tenant) -> Any:
    return tenant.creator("ada", display_name=HOSTILE)


@pytest.fixture
def method(tenant: Tenant) -> str:
    [first, *_] = tenant.client.data("GET", "/payout-methods")
    return str(first["id"])


@pytest.fixture
def page(admin: Sitter, creator: Any) -> str:
    return f"{admin.home}/payouts/creators/{creator['id']}/account"


def test_an_account_is_stored_changed_and_deleted(
    tenant: Tenant, admin: Sitter, creator: Any, page: str, method: str
) -> None:
    of_creator = f"/creators/{creator['id']}/payout-account"
    details = {"iban": HOSTILE, "tax": {"vat": [19]}}
    body = {"payout_method_id": method, "details": details}
    tenant.client.data("PUT", of_creator, json=body)
    form = admin.get(page).text
    assert HOSTILE not in form
    texts = re.findall(r'<textarea id="([^"]+)"[^>]*>([^<]*)</textarea>', form)
    filled = {name: unescape(text) for name, text in texts}
    assert filled["details.1.value"] == '{"vat": [19]}'
    assert f'<option value="{method}" selected>' in form
    sent = {**filled, "payout_method_id": method}
    more = {**sent, "details.3.name": "Name", "details.3.value": "Ada\r\nLovelace"}
    assert admin.send(page, page=page, **more).status_code == 303
    changed = tenant.client.data("GET", of_creator)["details"]
    assert changed == {**details, "Name": "Ada\nLovelace"}
    assert admin.send(page, page=page, forget="yes").status_code == 303
    assert tenant.client.data("GET", of_creator) is None


@pytest.mark.parametrize("pressed", [{}, {"forget": "yes"}])
def test_a_stale_form_brings_back_no_earlier_details(
    *, tenant: Tenant, admin: Sitter, creator: Any, page: str, method: str, pressed: dict[str, str]
) -> None:
    of_creator = f"/creators/{creator['id']}/payout-account"
    body = {"payout_method_id": method, "details": {"account": "OLD"}}
    tenant.client.data("PUT", of_creator, json=body)
    [version] = re.findall(r'name="expected_version" value="([^"]+)"', admin.get(page).text)
    tenant.client.data("PUT", of_creator, json={**body, "details": {"account": "NEW"}})
    entered = {"details.0.name": "account", "details.0.value": "OLD", "payout_method_id": method}
    sent = {**entered, **pressed, "expected_version": version}
    refused = admin.send(page, page=page, **sent)
    assert refused.status_code == 409
    assert "This changed in the meantime" in refused.text
    assert "account: now NEW" in read_rejected(refused.text)
    assert tenant.client.data("GET", of_creator)["details"] == {"account": "NEW"}
    [current] = re.findall(r'name="expected_version" value="([^"]+)"', refused.text)
    assert admin.send(page, page=page, **{**sent, "expected_version": current}).is_redirect


def read_rejected(page: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", page))


@pytest.mark.parametrize(
    ("sent", "wrong"),
    [
        ({"payout_method_id": ""}, ("payout_method_id", "required")),
        ({"details.1.value": "DE00"}, ("details.1.name", "Enter a name")),
        ({"details.1.name": "vat"}, ("details.1.name", "once")),
        ({"details.1.name": "x", "details.1.value": "\0"}, ("details", "NUL")),
    ],
)
def test_errors_are_shown_beside_their_fields(
    admin: Sitter, page: str, method: str, sent: dict[str, str], wrong: tuple[str, str]
) -> None:
    first = {"payout_method_id": method, "details.0.name": "vat", "details.0.value": "DE1 2"}
    answer = admin.send(page, page=page, **first | sent)
    assert answer.status_code == 400
    field, message = wrong
    [beside] = re.findall(rf'id="wrong-{re.escape(field)}">([^<]+)<', answer.text)
    assert message in unescape(beside)
    assert ">DE1 2</textarea>" in answer.text


@pytest.mark.parametrize(
    ("iban", "wrong"),
    [
        ("DE89 3704 0044 0532 0130 00", None),
        ("gb82 west 1234 5698 7654 32", None),
        ("fr14 2004 1010 0505 0001 3m02 606", None),
        ("DE89 3704 0044 0532 0130 01", "The check digits 89 do not match"),
        ("DE89 3704 0044 0532 0103 00", "The check digits 89 do not match"),
        ("DE89 3704 0044 0532 0130 0", "An IBAN of DE has 22 characters, this has 21"),
        ("DE89 3704 OO44 0532 0130 00", "correct “O” (character 9), “O” (character 10)"),
        ("DE89-3704 0044 0532 0130 0é", "correct “-” (character 5), “É” (character 23)"),
        (
            "D-E-8-9-3-7",
            "“-” (character 4), “-” (character 6) and 2 more",
        ),
        ("3704 0044 0532 0130 00", "begins with the two letters of its country"),
        ("XX89 1", "An IBAN of XX has 15 to 34 characters, this has 5"),
    ],
)
def test_a_mistyped_iban_is_refused_with_the_reason(iban: str, wrong: str | None) -> None:
    mistake = iban_mistake(iban)
    assert mistake is None if wrong is None else wrong in (mistake or ""), mistake


def test_an_iban_is_known_by_its_name() -> None:
    own = ("IBAN", "iban_number", "IBAN-Nr", "IBAN-Nr.", "bankIban", "ibanNumber", "Bank IBAN2")
    assert [name for name in own if not is_named_iban(name)] == []
    assert not any(map(is_named_iban, ("", "Caliban", "Ibanez", "BIC", "CALIBAN")))


def test_an_iban_is_checked_at_the_desk_where_it_was_changed(
    tenant: Tenant, admin: Sitter, creator: Any, page: str, method: str
) -> None:
    of_creator = f"/creators/{creator['id']}/payout-account"
    body = {"payout_method_id": method, "details": {"IBAN": "any text"}}
    assert tenant.client.data("PUT", of_creator, json=body)["details"] == body["details"]
    sent = {"payout_method_id": method, "details.0.name": "IBAN", "details.0.value": "any text"}
    assert admin.send(page, page=page, **sent).status_code == 303, "unchanged"
    changed = admin.send(page, page=page, **sent | {"details.0.value": "other text"})
    assert changed.status_code == 400
    assert "such as DE89" in beside(changed.text, "details.0.value")


def test_the_form_leads_back_to_the_page_that_opened_it(
    admin: Sitter, creator: Any, page: str, method: str
) -> None:
    sent = {"payout_method_id": method, "details.0.name": "x", "details.0.value": "y"}
    of_creator = f"{admin.home}/payouts/creators/{creator['id']}"
    for query, back in (
        ("?opened_from=run&creator=a%26b&until=2026-05-20", "run?creator=a%26b&until=2026-05-20"),
        ("?opened_from=run", "run"),
        ("?opened_from=payment", f"creators/{creator['id']}"),
    ):
        address = f"{admin.home}/payouts/{back}"
        assert f'class="up"><a href="{escape(address)}">' in admin.get(f"{page}{query}").text
        answer = admin.send(f"{page}{query}", page=page, **sent)
        assert answer.headers["Location"] == address
    assert admin.send(page, page=page, **sent).headers["Location"] == f"{of_creator}/account"
    assert admin.get(f"{page}?opened_from=https://example.com").status_code == 400


@pytest.mark.slow
def test_payout_methods_are_added_renamed_and_disabled(
    tenant: Tenant, admin: Sitter, creator: Any
) -> None:
    address = f"{admin.home}/settings/payout-methods"
    nameless = admin.send(address, page=address, name=" ")
    assert (nameless.status_code, "This field is required" in nameless.text) == (400, True)
    assert admin.send(address, page=address, name=HOSTILE).status_code == 303
    [added, *_] = tenant.client.data("GET", "/payout-methods")
    assert added["name"] == HOSTILE
    page = admin.get(address)
    assert f"{HOSTILE} Disable {HOSTILE} Delete {HOSTILE}" in read(page)
    assert HOSTILE not in page.text

    method_path = f"{address}/{added['id']}"
    assert admin.send(method_path, page=method_path, name="Wire").status_code == 303
    admin.send(address, page=address, disable=added["id"])
    assert added["id"] not in {
        method["id"] for method in tenant.client.data("GET", "/payout-methods")
    }
    assert "Wire Disabled Enable Wire" in read(admin.get(address))
    admin.send(address, page=address, enable=added["id"])

    # A method in use cannot be deleted.
    account = f"/creators/{creator['id']}/payout-account"
    tenant.client.data("PUT", account, json={"payout_method_id": added["id"], "details": {}})
    used = admin.send(address, page=address, delete=added["id"])
    assert (used.status_code, "Disable it instead" in used.text) == (409, True)
    tenant.client.data("DELETE", account)
    assert admin.send(address, page=address, delete=added["id"]).status_code == 303
    tenant.client.refusal("GET", f"/payout-methods/{added['id']}", "not_found")
