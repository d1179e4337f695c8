"""A member puts an amount and its correction on hold, and releases both (money.md M17 to M19)."""

import re
from collections.abc import Iterator
from typing import Any

from tests.factories.payouts import rule
from tests.factories.visitors import main_page, read, visiting
from tests.fixtures.desk import Sitter
from tests.scenarios.campaign import Campaign, Wait, at, computed
from tests.scenarios.held import refused

POSTED = {"launch": at(3, 3, 9)}
REASON = "The contract is not signed"


def story(campaign: Campaign) -> Iterator[Wait]:
    creator, admin = campaign.creator(), Sitter(campaign.tenant)
    campaign.pays(creator, "2026-03-02", rule("cpm"))
    campaign.scraped(at(3, 4), POSTED, launch=4_000)
    campaign.scraped(at(3, 8), POSTED, launch=10_000)
    yield computed(3, 9)
    [week] = campaign.accruals(creator)
    decide(campaign, admin, week, "hold", REASON)
    [held] = campaign.accruals(creator)
    assert (held["amount_cents"], held["status"]) == (1_000, "final")
    assert held["held"]["reason"].endswith(f" put it on hold: {REASON}")
    assert held["held"]["readings"] == []
    with visiting(campaign.tenant, creator) as visitor:
        assert "$10.00 on hold" in main_page(visitor)
        assert REASON not in main_page(visitor)

    # The recomputed amount stays on hold.
    campaign.scraped(at(3, 8, 18), POSTED, launch=12_000)
    yield computed(3, 16)
    [week, *_] = campaign.accruals(creator)
    assert (week["amount_cents"], week["held"]["reason"]) == (1_160, held["held"]["reason"])
    assert campaign.balance(creator) == (1_160, 0, 1_160)
    refused(campaign, "PATCH", f"/payout-accruals/{week['id']}", status="approved")
    refused(campaign, "POST", "/payout-payments", **campaign.payment(creator))
    page = decide(campaign, admin, week, "release", "It is signed")
    assert re.search(rf"Put on hold 9 Mar 2026, \d\d:00 by \S.*: {REASON}", page)
    assert re.search(r"Released 16 Mar 2026, \d\d:00 by \S.*: It is signed", page)
    assert campaign.pay(creator)["amount_cents"] == 1_160

    # A correction is on hold, and the paid amount stays paid.
    campaign.scraped(at(3, 8, 20), POSTED, launch=12_500)
    yield computed(3, 18)
    paid, correction = (row for row in campaign.accruals(creator) if row["amount_cents"])
    assert (correction["kind"], correction["amount_cents"]) == ("adjustment", 40)
    decide(campaign, admin, correction, "hold", "Bought views?")
    refused(campaign, "POST", "/payout-payments", **campaign.payment(creator))
    unchanged, _ = (row for row in campaign.accruals(creator) if row["amount_cents"])
    assert unchanged == paid
    health = f"/projects/{campaign.tenant.project_id}/program-health"
    assert campaign.tenant.client.data("GET", health)["alerts"]["odd_payments"] == []
    decide(campaign, admin, correction, "release", "They are real")
    assert campaign.pay(creator)["amount_cents"] == 40


def decide(campaign: Campaign, admin: Sitter, accrual: Any, action: str, reason: str) -> str:
    """Hold or release an amount at the desk, and return the text of its page."""
    page = f"{admin.home}/payouts/amounts/{accrual['id']}"
    answer = admin.send(f"{page}/{action}", page=page, reason=reason)
    return read(admin.get(answer.headers["Location"]))
