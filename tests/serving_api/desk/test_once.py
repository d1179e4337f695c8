"""A form that is sent twice acts once; its message says what was done, with an undo button."""

import html
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html import unescape

import pytest
from fastapi.dependencies.models import Dependant
from sqlalchemy import select

from serving_api.desk import once
from serving_api.desk.entry import DeskRoute
from serving_api.desk.router import DESK
from tests.factories.visitors import read
from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter
from warehouse.operational.models import IdempotencyOutcome


def number_on(sitter: Sitter, page: str) -> str:
    match = re.search(r'name="once" value="([^"]+)"', sitter.get(page).text)
    return html.unescape(match[1])


def names_of(tenant: Tenant) -> list[str]:
    campaigns = tenant.client.data(
        "GET", "/campaigns", params={"project_id": str(tenant.project_id)}
    )
    return sorted(campaign["name"] for campaign in campaigns)


def test_pressed_twice_at_once_it_is_done_once(admin: Sitter, tenant: Tenant) -> None:
    new = f"{admin.home}/campaigns/new"
    sent = {"form": admin.hidden(new), "once": number_on(admin, new), "name": "Autumn"}
    with ThreadPoolExecutor(4) as people:
        answers = list(people.map(lambda _: admin.post(new, data=sent), range(4)))
    assert {answer.status_code for answer in answers} == {303}
    assert len({answer.headers["Location"] for answer in answers}) == 1
    assert names_of(tenant) == ["Autumn"]
    # The same form with another name creates another campaign.
    admin.post(new, data={**sent, "name": "Winter"})
    assert names_of(tenant) == ["Autumn", "Winter"]


def test_a_second_campaign_of_a_name_needs_confirmation(admin: Sitter, tenant: Tenant) -> None:
    """The browser's Back button loads the form again, with another number."""
    new = f"{admin.home}/campaigns/new"
    admin.send(new, page=new, name="Autumn")
    again = admin.send(new, page=new, name="Autumn")
    assert again.status_code == 200
    assert "Another campaign has this name." in again.text
    assert names_of(tenant) == ["Autumn"]
    [sentence] = re.findall(r'name="sentence" value="([^"]+)"', again.text)
    admin.send(new, page=new, name="Autumn", sentence=sentence)
    assert names_of(tenant) == ["Autumn", "Autumn"]


def test_a_refused_form_is_validated_again(admin: Sitter, tenant: Tenant) -> None:
    new = f"{admin.home}/settings/keys/new"
    sent = {"form": admin.hidden(new), "once": number_on(admin, new), "name": "Nightly"}
    assert [admin.post(new, data=sent).status_code for _ in range(2)] == [400, 400]


def test_a_secret_is_shown_again_to_its_sender_alone(admin: Sitter, tenant: Tenant) -> None:
    new = f"{admin.home}/settings/keys/new"
    fields = {"once": number_on(admin, new), "name": "Nightly", "scopes.read": "yes"}
    sent = {"form": admin.hidden(new), **fields}
    first, again = (admin.post(new, data=sent) for _ in range(2))
    [key] = re.findall(r'id="key" value="([^"]+)"', first.text)
    assert again.text == first.text
    assert again.headers["Content-Security-Policy"] == first.headers["Content-Security-Policy"]
    keys = f"/organizations/{tenant.organization_id}/api-keys"
    assert [api_key["name"] for api_key in tenant.client.data("GET", keys)].count("Nightly") == 1
    with tenant.api.store.read_session() as session:
        [outcome] = session.scalars(
            select(IdempotencyOutcome).where(
                IdempotencyOutcome.organization_id == tenant.organization_id
            )
        )
    assert key.encode() not in outcome.response_body
    assert fields["once"] not in outcome.key
    assert admin.audit_events().count(("page", "make_key")) == 1
    # The number is a member's own: another user may send the same one.
    other = Sitter(tenant)
    assert other.send(new, page=new, **fields).text != first.text


SIGNED = {
    "/desk/sign-in",
    "/desk/sign-out",
    "/desk/sign-in/passkey",
    "/desk/sign-in/passkey/challenge",
}
SIGNED |= {"/desk/passkeys", "/desk/passkeys/challenge", "/desk/passkeys/remove", "/desk/password"}
"""Of no organization: sent twice, they end where they ended."""


def dependencies_of(dependant: Dependant) -> Iterator[object]:
    yield dependant.call
    for inner in dependant.dependencies:
        yield from dependencies_of(inner)


def test_every_form_that_changes_something_acts_once() -> None:
    forms = {
        route.path: [getattr(call, "__module__", "") for call in dependencies_of(route.dependant)]
        for router in DESK
        for route in router.routes
        if isinstance(route, DeskRoute) and "POST" in (route.methods or ())
    }
    reading = {path for path, modules in forms.items() if once.__name__ not in modules} - SIGNED
    assert {path.rpartition("{project_id}")[2] for path in reading} == {
        "/rule-lab/new",
        "/rule-lab/{structure_id}",
        "/payouts/run/csv",
        "/settings/organization",  # the last logo applies
    }


@pytest.fixture
def methods(admin: Sitter) -> str:
    return f"{admin.home}/settings/payout-methods"


def test_a_message_about_a_change_appears_on_one_page(admin: Sitter, methods: str) -> None:
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
    # A button of an older page changes nothing, so there is nothing to undo.
    answer = admin.send(methods, page=methods, disable=way["id"])
    late = read(admin.get(answer.headers["Location"]))
    assert "The method was already disabled." in late
    assert "Undo" not in late
    answer = admin.send(unescape(action), page=methods, **{name: ids})
    assert "Method enabled." in read(admin.get(answer.headers["Location"]))
    assert tenant.client.data("GET", path)["is_active"]


def test_a_message_that_the_server_did_not_sign_is_not_shown(admin: Sitter, methods: str) -> None:
    for forged in ("yes", '{"words": "Call 555"}'):
        admin.cookies.set("desk-done", forged, domain="127.0.0.1", path="/desk")
        page = admin.get(methods)
        assert page.status_code == 200
        assert 'class="toast"' not in page.text
