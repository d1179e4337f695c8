"""Every page of the desk by every role, and for users of another organization.

A page that is not in the table fails here: a row has the status for each role and the fields of a
form.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from itertools import count
from typing import Any

import pytest
from fastapi.routing import iter_route_contexts

from serving_api.desk.entry import DeskRoute
from serving_api.router import OPEN
from tests.contract.things import consent
from tests.factories import marts
from tests.factories.payouts import rule
from tests.fixtures.api import new_tenant
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import Launched

PROJECT = "/desk/projects/{project_id}"
TITLE = re.compile("<title>([^<]+)</title>")
NEW = count(100)
"""Targets of goals to create."""


@dataclass(frozen=True)
class Page:
    """The response's status for each role, and the form's fields."""

    member: int = 200
    admin: int = 200
    stranger: int = 404
    sent: dict[str, Any] = field(default_factory=dict)


ADMINS = Page(member=403)


def by_all(sent: dict[str, Any], code: int = 303) -> Page:
    """A form that members may send too."""
    return Page(code, code, sent=sent)


def by_admins(sent: dict[str, Any], code: int = 303) -> Page:
    return Page(403, code, sent=sent)


AMOUNT = f"{PROJECT}/payouts/amounts/{{accrual_id}}"
SETTINGS = f"{PROJECT}/settings"
PAY = f"{PROJECT}/payouts/creators/{{creator_id}}"

PAGES = {
    f"GET {PROJECT}": Page(),
    f"GET {PROJECT}/creators": Page(),
    f"POST {PROJECT}/creators": by_all({"tag_all": "{creator_id}", "tag": "gold"}),
    f"GET {PROJECT}/creators/ranked": Page(),
    f"GET {PROJECT}/creators/new": Page(),
    f"POST {PROJECT}/creators/new": by_all({"handle.tiktok": "new_{role}"}),
    f"GET {PROJECT}/creators/paste": Page(),
    f"POST {PROJECT}/creators/paste": by_all(
        {"list": "@pasted_{role}", "platform": "tiktok", "sentence": "Add 1 creator"}
    ),
    f"GET {PROJECT}/creators/{{creator_id}}/accounts": Page(),
    f"POST {PROJECT}/creators/{{creator_id}}/accounts": by_all({"handle.instagram": "more_{role}"}),
    f"GET {PROJECT}/creators/{{creator_id}}": Page(),
    f"GET {PROJECT}/creators/{{creator_id}}/edit": Page(),
    f"POST {PROJECT}/creators/{{creator_id}}/edit": by_all({"display_name": "Ada"}),
    f"GET {PROJECT}/campaigns": Page(),
    f"GET {PROJECT}/campaigns/new": Page(),
    f"POST {PROJECT}/campaigns/new": by_all({"name": "Autumn of {role}"}),
    f"GET {PROJECT}/campaigns/{{campaign_id}}": Page(),
    f"GET {PROJECT}/campaigns/{{campaign_id}}/edit": Page(),
    f"POST {PROJECT}/campaigns/{{campaign_id}}/edit": by_all({"name": "Spring"}),
    f"GET {PROJECT}/campaigns/{{campaign_id}}/costs": Page(),
    f"GET {PROJECT}/campaigns/{{campaign_id}}/creators": Page(),
    f"POST {PROJECT}/campaigns/{{campaign_id}}/creators": by_all({"remove": "{creator_id}"}),
    f"GET {PROJECT}/posts": Page(),
    f"GET {PROJECT}/posts/ranked": Page(),
    f"GET {PROJECT}/posts/falling": Page(),
    f"GET {PROJECT}/posts/rising": Page(),
    f"GET {PROJECT}/posts/{{video_id}}": Page(),
    f"GET {PROJECT}/posts/{{video_id}}/picture": Page(),
    f"GET {PROJECT}/comments": Page(),
    f"POST {PROJECT}/comments": by_all({"handled": "00000000-0000-0000-0000-000000000000"}),
    f"GET {PROJECT}/payouts": Page(),
    f"POST {PROJECT}/payouts": by_admins(
        {"approved": "{accrual_id}", "cents-{accrual_id}": "10000"}
    ),
    f"GET {AMOUNT}": Page(),
    f"POST {AMOUNT}": by_admins({"note": "Why?"}),
    f"POST {AMOUNT}/hold": by_admins({"reason": "Unsigned"}),
    f"POST {AMOUNT}/release": by_admins({"reason": "Seen"}),
    f"POST {AMOUNT}/disputes": by_all({"claim": "Too little"}, 409),
    f"POST {AMOUNT}/disputes/{{dispute_id}}": by_admins(
        {"state": "answered", "answer": "We look."}
    ),
    f"GET {PROJECT}/search": Page(),
    f"GET {PROJECT}/inbox": Page(),
    f"GET {PROJECT}/inbox/disputes": Page(),
    f"POST {PROJECT}/inbox": by_all({"exclude": "{video_id}"}, 400),
    f"GET {PROJECT}/health": Page(),
    f"POST {PROJECT}/health/connect-links": Page(sent={"creator_id": "{creator_id}"}),
    f"GET {PROJECT}/rule-lab": Page(),
    f"GET {PROJECT}/rule-lab/new": Page(),
    f"POST {PROJECT}/rule-lab/new": by_all({"kind": "view_threshold", "try": "yes"}, 400),
    f"GET {PROJECT}/rule-lab/{{structure_id}}": Page(),
    f"POST {PROJECT}/rule-lab/{{structure_id}}": by_all(
        {"kind": "view_threshold", "try": "yes"}, 400
    ),
    f"GET {SETTINGS}": Page(),
    f"POST {SETTINGS}": by_admins({"member": "{user_id}"}),
    f"GET {SETTINGS}/invite": ADMINS,
    f"POST {SETTINGS}/invite": by_admins({"email": "new@example.com", "role": "member"}, 200),
    f"POST {SETTINGS}/invitations": by_admins({"revoke": "{invitation_id}"}),
    f"GET {SETTINGS}/keys": ADMINS,
    f"POST {SETTINGS}/keys": by_admins({"revoke": "{key_id}"}),
    f"GET {SETTINGS}/keys/new": ADMINS,
    f"POST {SETTINGS}/keys/new": by_admins(
        {"name": "Nightly", "scopes.read": "yes", "expires_at": ""}, 200
    ),
    f"GET {SETTINGS}/apps": Page(),
    f"POST {SETTINGS}/apps": Page(member=404, admin=303, sent={"disconnect": "{app_id}"}),
    f"GET {SETTINGS}/payout-methods": ADMINS,
    f"POST {SETTINGS}/payout-methods": by_admins({"enable": "{payout_method_id}"}),
    f"GET {SETTINGS}/payout-methods/{{payout_method_id}}": ADMINS,
    f"POST {SETTINGS}/payout-methods/{{payout_method_id}}": by_admins({"name": "Bank"}),
    f"GET {SETTINGS}/budgets": ADMINS,
    f"POST {SETTINGS}/budgets": by_admins({"name": "May", "amount_cents": "9"}),
    f"GET {SETTINGS}/budgets/{{budget_id}}": ADMINS,
    f"POST {SETTINGS}/budgets/{{budget_id}}": by_admins({"name": "June", "amount_cents": "8"}),
    f"GET {SETTINGS}/conversion-events": Page(),
    f"POST {SETTINGS}/conversion-events": by_all({"resume": "{event_id}"}),
    f"GET {SETTINGS}/conversion-events/{{event_id}}": Page(),
    f"POST {SETTINGS}/conversion-events/{{event_id}}": by_all({"name": "Signed up"}),
    f"GET {SETTINGS}/goals": Page(),
    f"POST {SETTINGS}/goals": by_all(
        {"metric": "posts", "period": "weekly", "target_value": "{new}", "set": "{creator_id}"}
    ),
    f"GET {SETTINGS}/goals/{{creator_id}}": Page(),
    f"POST {SETTINGS}/goals/{{creator_id}}": by_all(
        {"metric": "posts", "period": "weekly", "target_value": "{new}"}
    ),
    f"GET {SETTINGS}/goals/{{creator_id}}/{{goal_id}}": Page(),
    f"POST {SETTINGS}/goals/{{creator_id}}/{{goal_id}}": by_all(
        {"metric": "views", "period": "daily", "target_value": "9"}
    ),
    f"GET {SETTINGS}/structures": Page(),
    f"GET {SETTINGS}/structures/new": ADMINS,
    f"POST {SETTINGS}/structures/new": by_admins(
        {
            "kind": "view_threshold",
            "name": "Bonus",
            "criteria_params.thresholds.0.view_count": "1000",
            "criteria_params.thresholds.0.amount_cents": "5",
            "sentence": "Once per post: $5.00 at 1,000 views",
        }
    ),
    f"GET {SETTINGS}/structures/{{structure_id}}": ADMINS,
    f"POST {SETTINGS}/structures/{{structure_id}}": by_admins({"name": "Fee"}),
    f"GET {SETTINGS}/structures/{{structure_id}}/creators": ADMINS,
    f"POST {SETTINGS}/structures/{{structure_id}}/creators": by_admins({"add": "{creator_id}"}),
    f"GET {SETTINGS}/reports": ADMINS,
    f"GET {SETTINGS}/reports/new": ADMINS,
    f"POST {SETTINGS}/reports/new": by_admins({"campaign_id": ""}, 200),
    f"POST {SETTINGS}/reports": by_admins({"revoke": "{report_id}"}),
    f"GET {SETTINGS}/share-links": ADMINS,
    f"GET {SETTINGS}/share-links/{{creator_id}}": ADMINS,
    f"POST {SETTINGS}/share-links/{{creator_id}}": by_admins({"show_analytics": "yes"}),
    f"GET {SETTINGS}/webhooks": ADMINS,
    f"GET {SETTINGS}/webhooks/new": ADMINS,
    f"POST {SETTINGS}/webhooks/new": by_admins({"url": "https://hooks.example.com/more"}, 200),
    f"GET {SETTINGS}/webhooks/{{endpoint_id}}": ADMINS,
    f"GET {SETTINGS}/organization": ADMINS,
    f"POST {SETTINGS}/organization/details": by_admins({}),
    f"POST {SETTINGS}/organization/comments": by_admins({}),
    f"POST {SETTINGS}/organization": by_admins({"remove": "yes"}),
    f"POST {SETTINGS}/organization/project": by_admins({}),
    f"POST {SETTINGS}/webhooks": by_admins({"disable": "{endpoint_id}"}),
    f"GET {PROJECT}/payouts/payments": Page(),
    f"POST {PROJECT}/payouts/payments": by_admins({"void": "{undone_payment_id}"}),
    f"GET {PROJECT}/payouts/payments/{{payment_id}}": Page(),
    f"POST {PROJECT}/payouts/payments/{{payment_id}}": by_admins(
        {"reason": "The bank returned it"}
    ),
    f"GET {PROJECT}/payouts/run": ADMINS,
    f"POST {PROJECT}/payouts/run": by_admins({}, 400),
    f"POST {PROJECT}/payouts/run/csv": by_admins({}, 400),
    f"GET {PAY}/bonus": ADMINS,
    f"POST {PAY}/bonus": by_admins({"amount_cents": "50", "reason": "Best post of May"}),
    f"GET {PAY}/account": ADMINS,
    f"POST {PAY}/account": by_admins({"payout_method_id": "{payout_method_id}"}),
    f"GET {PAY}": ADMINS,
    f"POST {PAY}": by_admins(
        {
            "accrual_ids": "{accrual_id}",
            "amount_cents": "10000",
            "payout_method_id": "{payout_method_id}",
        }
    ),
}
"""Pages of a project, in an order in which each has data for an admin."""
OF_THE_PERSON = {
    "GET /desk/sign-in",
    "POST /desk/sign-in",
    "POST /desk/sign-in/passkey",
    "POST /desk/sign-in/passkey/challenge",
    "GET /desk/passkeys",
    "POST /desk/passkeys",
    "POST /desk/passkeys/challenge",
    "POST /desk/passkeys/remove",
    "GET /desk/password",
    "POST /desk/password",
    "POST /desk/sign-out",
    "GET /desk",
}
"""Pages about the signed-in user alone: see test_signing_in, test_passkeys and test_password."""


def routes() -> Iterator[str]:
    for router in OPEN:
        for context in iter_route_contexts(router.routes):
            if isinstance(context.original_route, DeskRoute):
                yield from (f"{method} {context.path_format}" for method in context.methods or ())


@pytest.fixture(scope="module")
def ids(launched: Launched) -> dict[str, str]:
    """The ids in the paths."""
    tenant = launched.tenant
    of_organization = f"/organizations/{tenant.organization_id}"
    body = {"email": "invited@example.com"}
    invited = tenant.client.data("POST", f"{of_organization}/invitations", json=body)
    key = tenant.client.data("POST", f"{of_organization}/api-keys", json={"name": "k"})
    body = {"url": "https://hooks.example.com/told"}
    endpoint = tenant.client.data("POST", "/webhook-endpoints", json=body)
    reports = f"/projects/{tenant.project_id}/reports"
    report = tenant.client.data("POST", reports, json={})
    body = {"accrual_id": launched.id_of("settled"), "reason": "Too little"}
    dispute = tenant.client.data("POST", "/payout-disputes", json=body)
    settled = f"/payout-accruals/{launched.id_of('settled')}"
    tenant.client.data("PATCH", settled, json={"status": "approved"})  # Ada is to be paid
    [method, *_] = tenant.client.data("GET", "/payout-methods")
    body = {
        "creator_id": launched.ada["id"],
        "project_id": str(tenant.project_id),
        "payout_method_id": method["id"],
        "amount_cents": 100,
    }
    payment, undone = (
        tenant.client.data("POST", "/payout-payments", json={**body, "reference": each})
        for each in ("May", "June")
    )
    posts = {"metric": "posts", "period": "weekly", "target_value": 3}
    of_ada = f"/creators/{launched.ada['id']}/goals"
    goal = tenant.client.data("POST", of_ada, json=posts)
    [budget] = tenant.client.data("GET", "/budgets")
    return {
        "project_id": str(tenant.project_id),
        "budget_id": budget["id"],
        "accrual_id": launched.id_of("settled"),
        "dispute_id": dispute["id"],
        "creator_id": launched.ada["id"],
        "video_id": str(marts.named(f"one {launched.ada['id']}")),
        "payout_method_id": method["id"],
        "payment_id": payment["id"],
        "undone_payment_id": undone["id"],
        "structure_id": tenant.payout_structure(rule("view_threshold")),
        "campaign_id": launched.campaign,
        "report_id": report["id"],
        "goal_id": goal["id"],
        "event_id": tenant.conversion_event()["id"],
        "endpoint_id": endpoint["id"],
        "user_id": str(tenant.add_member("admin")),
        "invitation_id": invited["id"],
        "key_id": key["id"],
        "app_id": str(consent(tenant)),
    }


@pytest.fixture(scope="module")
def sitters(launched: Launched) -> dict[str, Sitter]:
    tenant = launched.tenant
    with new_tenant(tenant.api) as other:
        roles = {"admin": Sitter(tenant), "member": Sitter(tenant, role="member")}
        return {**roles, "stranger": Sitter(other), "nobody": Sitter(tenant, signed_in=False)}


def test_every_page_has_a_row() -> None:
    assert set(routes()) == PAGES.keys() | OF_THE_PERSON


@pytest.mark.slow
def test_each_page_has_its_own_title(sitters: dict[str, Sitter], ids: dict[str, str]) -> None:
    """Titles distinguish tabs and bookmarks."""
    titles: dict[str, str] = {}
    for name in PAGES:
        method, path = name.split()
        page = sitters["admin"].get(path.format(**ids)) if method == "GET" else None
        if page is not None and (match := TITLE.search(page.text)):
            assert titles.setdefault(unescape(match[1]), path) == path


@pytest.mark.parametrize("name", PAGES)
def test_each_roles_status(sitters: dict[str, Sitter], ids: dict[str, str], name: str) -> None:
    method, path = name.split()
    page, address = PAGES[name], path.format(**ids)
    for role in ("member", "admin", "stranger"):
        sitter = sitters[role]
        sent = {
            field.format(**ids): value.format(role=role, new=next(NEW), **ids)
            for field, value in page.sent.items()
        }
        if method == "GET":
            answer = sitter.get(address)
        else:
            answer = sitter.send(address, page="/desk?choose=yes", **sent)
        assert answer.status_code == getattr(page, role), (role, answer.text)
    led = sitters["nobody"].get(address) if method == "GET" else sitters["nobody"].post(address)
    assert led.status_code == 303
    assert led.headers["Location"].startswith("/desk/sign-in")


@pytest.mark.parametrize(
    "name", [name for name in [*PAGES, *sorted(OF_THE_PERSON)] if "POST" in name]
)
def test_a_form_is_worth_something_to_the_browser_it_was_made_for(
    sitters: dict[str, Sitter], ids: dict[str, str], name: str
) -> None:
    address = name.split()[1].format(**ids)
    admin, member = sitters["admin"], sitters["member"]
    theirs = member.hidden("/desk?choose=yes")
    for form in ("", "made up", theirs):
        assert admin.post(address, data={"form": form}).status_code == 403
    own = {"form": admin.hidden("/desk?choose=yes")}
    from_elsewhere = {"Origin": "https://evil.example"}
    assert admin.post(address, data=own, headers=from_elsewhere).status_code == 403


def test_an_invalid_project_id_is_not_found(sitters: dict[str, Sitter]) -> None:
    for project_id in ("nonsense", "00000000-0000-0000-0000-000000000000"):
        assert sitters["admin"].get(f"/desk/projects/{project_id}").status_code == 404


def test_a_page_runs_our_scripts_alone_and_is_not_cached(sitters: dict[str, Sitter]) -> None:
    admin = sitters["admin"]
    page = admin.get(f"{admin.home}/settings")
    policy = page.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'sha256-")
    assert "form-action 'self'; base-uri 'none'; frame-ancestors 'none'" in policy
    assert page.headers["Cache-Control"] == "no-store"
    assert len(re.findall("<script", page.text)) == 1
    assert '<script src="/desk/files/' in page.text
    assert 'style="' not in page.text
