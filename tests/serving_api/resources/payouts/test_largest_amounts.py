"""Amounts of the maximum size, whose sum exceeds 64 bits, are reported without errors.

The organization and its creators are those of tests/fixtures/payouts.py.
"""

from datetime import date

import pytest

from tests.factories.accruals import earning, publish_earnings
from tests.factories.verifier import load_verifier
from tests.factories.visitors import main_page, read, visiting
from tests.fixtures.desk import Sitter
from tests.fixtures.payouts import LIST, Paying

LARGEST = 9 * 10**15
MANY = 1100
DAY = date(2026, 5, 3)


@pytest.fixture
def large(paying: Paying) -> Paying:
    """Ada is owed the maximum amount 1,100 times: 9.9 * 10**18, more than 2**63."""
    earnings = [
        earning(paying.tenant, paying.structure, paying.ada, (DAY, DAY), LARGEST, view_count=number)
        for number in range(MANY)
    ]
    publish_earnings(paying.tenant.api.settings, paying.tenant.api.store, earnings)
    return paying


def test_sums_of_them_are_the_largest_amount_everywhere(large: Paying) -> None:
    client = large.tenant.client
    answer = client.get(LIST).json()
    assert {row["amount_cents"] for row in answer["data"]} == {LARGEST}
    assert answer["meta"]["total_cents"] == LARGEST
    body = {"project_id": str(large.tenant.project_id), "name": "All", "amount_cents": LARGEST}
    budget = client.data("POST", "/budgets", json=body)
    exposure = client.data("GET", f"/budgets/{budget['id']}")["exposure"]
    assert exposure["final_cents"] == LARGEST
    tracker = client.get("/exports/payouts-tracker")
    assert tracker.status_code == 200
    assert str(LARGEST) in tracker.text
    health = client.get(f"/projects/{large.tenant.project_id}/program-health")
    assert health.status_code == 200
    with visiting(large.tenant, large.ada) as visitor:
        assert "Earned $90,000,000,000,000.00" in main_page(visitor)
    sitter = Sitter(large.tenant)
    assert "$90,000,000,000,000.00" in read(sitter.get(f"{sitter.home}/payouts"))


def test_payments_on_account_do_not_exceed_the_largest_amount(paying: Paying) -> None:
    for _ in range(2):
        paying.pay(amount_cents=LARGEST)
    assert paying.balance(paying.ada)["paid_cents"] == LARGEST
    assert paying.balance(paying.ada)["balance_cents"] == 10_000 - LARGEST


def test_a_verifier_computes_the_largest_amount() -> None:
    """Both are cut: 9 * 10**18 for a hundred sales at 1,000%, and 10**17 for views."""
    redone = load_verifier().redone
    sale = {"quantity": 10**6, "total_value_cents": LARGEST}
    sales = [{"conversion_id": str(number), **sale} for number in range(100)]
    totals = {"quantity": 10**8, "total_value_cents": 100 * LARGEST, "cents": str(1000 * LARGEST)}
    rate = {"conversion_event_id": "e", "rate_type": "percent", "percent_bps": 100_000, **totals}
    rates = [{**rate, "conversions": 100}]
    sold = {"type": "conversion", "rates": rates, "conversions": sales}
    assert redone(sold) == (LARGEST, LARGEST)
    views = {"video_id": "v", "views_from": 0, "views_to": 10**12, "views": 10**12}
    tier = {"up_to_impressions": None, "cents_per_thousand": "100000000", "impressions": 10**12}
    assert redone(
        {
            "type": "cpm",
            "videos": [views],
            "impressions": 10**12,
            "carry_in": 0,
            "payable": 10**12,
            "min_impressions": 0,
            "carry_out": 0,
            "tiers": [{**tier, "cents": str(10**17)}],
            "before_cap_cents": str(10**17),
            "max_payout_cents": None,
            "precise_cents": f"{LARGEST}.000000000",
            "running_total_before_cents": "0.5",
            "running_total_cents": f"{LARGEST}.5",
        }
    ) == (LARGEST, LARGEST)
