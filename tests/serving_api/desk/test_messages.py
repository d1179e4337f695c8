"""The message after a form: what was done, for one page, and its undo button."""

import re
from html import unescape

import pytest

from tests.factories.visitors import read
from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter


@pytest.fixture
def methods(admin: Sitter) -> str:
    return f"{admin.home}/settings/payout-methods"


def test_a_message_says_what_was_done_on_one_page(admin: Sitter, methods: str) -> None:
    answer = admin.send(methods, page=methods, name="Cheque")
    assert "Method added." in read(admin.get(answer.headers["Location"]))
    assert "Method added." not in read(admin.get(methods))


def test_a_repeated_form_says_it_again(admin: Sitter, methods: str) -> None:
    for _ in range(2):
        answer = admin.send(methods, page=methods, name="Cheque", once="1")
    assert "Method added." in read(admin.get(answer.headers["Location"]))


def test_a_disabled_method_is_enabled_by_undo(admin: Sitter, methods: str, tenant: Tenant) -> None:
    [way, *_] = tenant.client.data("GET", "/payout-methods")
    path = f"/payout-methods/{way['id']}"
    answer = admin.send(methods, page=methods, disable=way["id"])
    page = admin.get(answer.headers["Location"]).text
    assert "Method disabled." in page
    assert not tenant.client.data("GET", path)["is_active"]
    [toast] = re.findall(r'<div class="toast".*?</div>', page, re.DOTALL)
    [action] = re.findall(r'action="([^"]+)"', toast)
    [(name, ids)] = re.findall(r'<button type="submit" name="(\w+)" value="([^"]+)"', toast)
    answer = admin.send(unescape(action), page=methods, **{name: ids})
    assert "Method enabled." in read(admin.get(answer.headers["Location"]))
    assert tenant.client.data("GET", path)["is_active"]


def test_a_message_that_the_server_did_not_sign_is_not_shown(admin: Sitter, methods: str) -> None:
    for forged in ("yes", '{"words": "Call 555"}'):
        admin.cookies.set("desk-done", forged, domain="127.0.0.1", path="/desk")
        page = admin.get(methods)
        assert page.status_code == 200
        assert 'class="toast"' not in page.text
