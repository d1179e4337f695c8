"""How creators are paid, at the desk: for admins alone."""

import re
from html import unescape
from typing import Any

import pytest

from tests.factories.visitors import read
from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter

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


def test_an_account_is_kept_changed_and_forgotten(
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
    *,
    tenant: Tenant,
    admin: Sitter,
    creator: Any,
    page: str,
    method: str,
    pressed: dict[str, str],
) -> None:
    of_creator = f"/creators/{creator['id']}/payout-account"
    body = {"payout_method_id": method, "details": {"iban": "OLD"}}
    tenant.client.data("PUT", of_creator, json=body)
    [version] = re.findall(r'name="expected_version" value="([^"]+)"', admin.get(page).text)
    tenant.client.data("PUT", of_creator, json={**body, "details": {"iban": "NEW"}})
    entered = {"details.0.name": "iban", "details.0.value": "OLD", "payout_method_id": method}
    sent = {**entered, **pressed, "expected_version": version}
    refused = admin.send(page, page=page, **sent)
    assert refused.status_code == 409
    assert "This changed in the meantime" in refused.text
    assert "iban: now NEW" in read_rejected(refused.text)
    assert tenant.client.data("GET", of_creator)["details"] == {"iban": "NEW"}
    [current] = re.findall(r'name="expected_version" value="([^"]+)"', refused.text)
    assert admin.send(page, page=page, **{**sent, "expected_version": current}).is_redirect


def read_rejected(page: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", page))


@pytest.mark.parametrize(
    ("sent", "wrong"),
    [
        ({"payout_method_id": ""}, ("payout_method_id", "required")),
        ({"details.1.value": "DE00"}, ("details.1.name", "Enter a name")),
        ({"details.1.name": "iban"}, ("details.1.name", "once")),
        ({"details.1.name": "x", "details.1.value": "\0"}, ("details", "NUL")),
    ],
)
def test_what_is_wrong_stands_beside_its_field(
    admin: Sitter, page: str, method: str, sent: dict[str, str], wrong: tuple[str, str]
) -> None:
    first = {"payout_method_id": method, "details.0.name": "iban", "details.0.value": "DE1 2"}
    answer = admin.send(page, page=page, **first | sent)
    assert answer.status_code == 400
    field, message = wrong
    [beside] = re.findall(rf'id="wrong-{re.escape(field)}">([^<]+)<', answer.text)
    assert message in unescape(beside)
    assert ">DE1 2</textarea>" in answer.text


@pytest.mark.slow
def test_ways_of_paying_are_added_renamed_and_taken_out_of_use(
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

    # By which somebody is paid, it stays.
    account = f"/creators/{creator['id']}/payout-account"
    tenant.client.data("PUT", account, json={"payout_method_id": added["id"], "details": {}})
    used = admin.send(address, page=address, delete=added["id"])
    assert (used.status_code, "Disable it instead" in used.text) == (409, True)
    tenant.client.data("DELETE", account)
    assert admin.send(address, page=address, delete=added["id"]).status_code == 303
    tenant.client.refusal("GET", f"/payout-methods/{added['id']}", "not_found")
