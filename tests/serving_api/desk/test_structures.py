"""Payout structures at the desk: the common kinds, filled in by people, in dollars."""

import re
from html import unescape
from typing import Any

import pytest

from tests.factories.payouts import rule
from tests.factories.visitors import read
from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter

HOSTILE = '"><img src=x onerror=alert(1)> \u202e'
TIERS, THRESHOLDS = "criteria_params.tiers", "criteria_params.thresholds"
RECURRING = {
    "kind": "recurring",
    "name": HOSTILE,
    "amount_cents": "$1,250.50",
    "period": "monthly",
    "proration_mode": "prorate",
}
VIEWS = {
    "kind": "cpm",
    "name": "Views",
    "period": "weekly",
    f"{TIERS}.0.up_to_impressions": "10,000",
    f"{TIERS}.0.cents_per_thousand": "1",
    f"{TIERS}.1.cents_per_thousand": "0.805",
    "criteria_params.max_payout_cents": "500",
    "criteria_params.min_impressions": "",
}
BONUS = {
    "kind": "view_threshold",
    "name": "Bonus",
    f"{THRESHOLDS}.0.view_count": "100000",
    f"{THRESHOLDS}.0.amount_cents": "50",
    f"{THRESHOLDS}.1.view_count": "1000000",
    f"{THRESHOLDS}.1.amount_cents": "99.99",
}


def made_by(admin: Sitter, sent: dict[str, str]) -> Any:
    form = f"{admin.home}/settings/structures/new"
    answer = admin.send(form, page=form, **sent)
    assert answer.status_code == 303, answer.text
    return admin.tenant.client.data("GET", "/payout-structures")[0]


def beside(page: str, field: str) -> str:
    [said] = re.findall(rf'id="wrong-{re.escape(field)}">([^<]+)<', page)
    return unescape(str(said))


def test_the_common_kinds_are_made(admin: Sitter) -> None:
    fee = made_by(admin, RECURRING)
    assert (fee["amount_cents"], fee["period"], fee["name"]) == (125_050, "monthly", HOSTILE)
    views = made_by(admin, VIEWS)["criteria_params"]
    assert views["tiers"] == [
        {"up_to_impressions": 10_000, "cents_per_thousand": 100},
        {"up_to_impressions": None, "cents_per_thousand": 80.5},
    ]
    assert views["max_payout_cents"] == 50_000
    bonuses = made_by(admin, BONUS)["criteria_params"]["thresholds"]
    assert [(one["view_count"], one["amount_cents"]) for one in bonuses] == [
        (100_000, 5_000),
        (1_000_000, 9_999),
    ]
    page = admin.get(f"{admin.home}/settings/structures")
    listed = read(page)
    assert "$1,250.50 each month" in listed
    assert "$1.00 to 10,000 views, then $0.805 for each 1,000 views, summed up each week" in listed
    assert ", at most $500.00" in listed
    assert "Once for each post: $50.00 at 100,000 views, $99.99 at 1,000,000 views" in listed
    assert HOSTILE not in page.text


def test_a_rule_is_filled_in_as_it_is_and_replaced(admin: Sitter) -> None:
    structure = made_by(admin, VIEWS)
    page = f"{admin.home}/settings/structures/{structure['id']}"
    shown = dict(re.findall(r'name="([^"]+)"[^>]* value="([^"]*)"', admin.get(page).text))
    assert shown[f"{TIERS}.1.cents_per_thousand"] == "0.805"
    assert shown["criteria_params.max_payout_cents"] == "500.00"
    rule_sent = {name: value for name, value in VIEWS.items() if name != "name"}
    admin.send(page, page=page, **{**rule_sent, f"{TIERS}.1.cents_per_thousand": "0.5"})
    admin.send(page, page=page, name="By views")
    changed = admin.tenant.client.data("GET", f"/payout-structures/{structure['id']}")
    assert changed["criteria_params"]["tiers"][1]["cents_per_thousand"] == 50
    assert (changed["name"], changed["current_version"]["version_number"]) == ("By views", 2)
    admin.send(page, page=page, archive="yes")
    path = f"/payout-structures/{structure['id']}"
    assert not admin.tenant.client.data("GET", path)["is_active"]


@pytest.mark.parametrize(
    ("sent", "field", "said"),
    [
        ({**RECURRING, "amount_cents": "12.345"}, "amount_cents", "an amount in dollars"),
        ({**RECURRING, "amount_cents": "-1"}, "amount_cents", "an amount in dollars"),
        ({**RECURRING, "amount_cents": "1" * 300}, "amount_cents", "an amount in dollars"),
        ({**RECURRING, "name": " "}, "name", "This is needed"),
        ({**VIEWS, f"{TIERS}.1.up_to_impressions": "5"}, TIERS, "the last tier"),
        (
            {**VIEWS, f"{TIERS}.1.cents_per_thousand": "0.000000001"},
            f"{TIERS}.1.cents_per_thousand",
            "an amount",
        ),
        (
            {**VIEWS, "criteria_params.min_impressions": "few"},
            "criteria_params.min_impressions",
            "whole",
        ),
        ({**BONUS, f"{THRESHOLDS}.2.view_count": "7"}, f"{THRESHOLDS}.2.amount_cents", "needed"),
        ({**BONUS, f"{THRESHOLDS}.1.view_count": "100000"}, THRESHOLDS, "at most once"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(
    admin: Sitter, sent: dict[str, str], field: str, said: str
) -> None:
    form = f"{admin.home}/settings/structures/new"
    answer = admin.send(form, page=form, **sent)
    assert answer.status_code == 400
    assert said in beside(answer.text, field)
    assert HOSTILE not in answer.text
    assert admin.tenant.client.data("GET", "/payout-structures") == []


def test_other_kinds_are_left_to_rest(tenant: Tenant, admin: Sitter) -> None:
    structure_id = tenant.payout_structure(rule("goals"), name="Goals")
    page = admin.get(f"{admin.home}/settings/structures/{structure_id}")
    assert "PATCH /api/v2/payout-structures" in read(page)
    assert "Replace the rule" not in read(page)
    kind = admin.get(f"{admin.home}/settings/structures/new?kind=goals")
    assert kind.status_code == 400
